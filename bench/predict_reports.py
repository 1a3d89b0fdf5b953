#!/usr/bin/env python3
"""Public reports of speed and memory of language models, each as a question to `lento predict` with its right answer.

predict_reports.py LENTO [--only NAME] [RESULTS.csv]: bench/predict_reports/questions.csv holds one question a row. "right" is inside (the
measured figure lies in the stated nine tenths), slower, impossible (faster than the hardware allows), fits or does not fit; "says" is a
pattern that the sentence must contain too. A model without a usual name is given by its shape, which becomes a config.json here.
Prints right, helps, refuses or wrong for each.
"""
import csv
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

QUESTIONS = pathlib.Path(__file__).resolve().parent / "predict_reports" / "questions.csv"


def config(shape):
    """The config.json that Transformers would write for a shape such as 'type=llama hidden=2048 layers=16 ...'."""
    s = {key: int(value) if value.isdigit() else value for key, value in (word.split("=") for word in shape.split())}
    if s["type"] == "gpt2":
        return {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": s["hidden"], "n_layer": s["layers"], "n_head": s["heads"],
                "n_inner": s["ffn"], "vocab_size": s["vocab"], "n_positions": 2048}
    act = {"llama": "silu", "nemotron": "relu2"}[s["type"]]
    return {"model_type": s["type"], "architectures": [s["type"].capitalize() + "ForCausalLM"], "hidden_size": s["hidden"],
            "num_hidden_layers": s["layers"], "num_attention_heads": s["heads"], "num_key_value_heads": s["kv"], "intermediate_size": s["ffn"],
            "vocab_size": s["vocab"], "hidden_act": act, "tie_word_embeddings": bool(s.get("tied")), "max_position_embeddings": 65536}


def asked(lento, row, folder):
    words = shlex.split(row["arguments"].replace(";", ","))
    if "=" in row["model"]:
        (folder / "config.json").write_text(json.dumps(config(row["model"])))
        words = ["config.json", *words]
    else:
        words = ["--model", row["model"], *words]
    done = subprocess.run([lento, "predict", *words, "--json"], cwd=folder, capture_output=True, text=True)
    at = done.stdout.find("{")
    return json.loads(done.stdout[at:]) if at >= 0 else {"outcome": "refused", "facts": [], "verdict": done.stderr.strip()}


SENTENCES = {"as expected.": "inside", "slower than nine": "slower", "faster than nine": "faster", "faster than the hardware": "impossible"}


def grade(answer, right, says):
    """The grade of an answer, and what it says in the words of the table."""
    verdict, facts = answer["verdict"], dict(answer["facts"])
    if answer["outcome"] == "refused":
        return "refuses", "refused"
    if "fit" in right and facts.get("fits") == "at the edge":
        return "helps", "at the edge"
    if "fit" in right:
        said = "fits" if facts.get("fits", "").startswith("yes") else "does not fit"
    else:
        said = next((word for sentence, word in SENTENCES.items() if sentence in verdict), "nothing")
    if answer["outcome"] == "cannot judge":
        return "right" if said == right else "helps", said
    if said == right:
        return ("right" if re.search(says, verdict) else "helps"), said
    return "wrong", said


def main():
    words = sys.argv[1:]
    only = words.pop(words.index("--only") + 1) if "--only" in words else ""
    lento, *results = [w for w in words if w != "--only"]
    lento = str(pathlib.Path(lento).resolve())
    out = csv.writer(open(results[0], "w") if results else sys.stdout, lineterminator="\n")
    out.writerow(["input", "source", "right", "said", "grade", "outcome", "verdict"])
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        for row in csv.DictReader(open(QUESTIONS)):
            if only not in row["input"]:
                continue
            answer = asked(lento, row, pathlib.Path(folder))
            mark, said = grade(answer, row["right"], row["says"])
            counts[mark] = counts.get(mark, 0) + 1
            out.writerow([row["input"], row["source"], row["right"], said, mark, answer["outcome"], answer["verdict"]])
    print(", ".join(f"{n} {mark}" for mark, n in sorted(counts.items())), "of", sum(counts.values()))
    return counts.get("wrong", 0) + counts.get("refuses", 0) > 0


if __name__ == "__main__":
    sys.exit(main())
