"""Files that are on the same disks and are none of the desk's: programs, prose, settings, listings, tables of other trades, images."""
import base64
import random


def files():
    draw = random.Random("other files")
    noise = bytes(draw.getrandbits(8) for _ in range(4000))
    text = {
        "mail": "Dear all,\nthe job on node 7 was slow yesterday, rank 3 said nothing. Can somebody look?\nRegards\n",
        "readme": "# Trainer\n\nRun `nvidia-smi` first. The step time is printed as `time 3.2 s/it`.\n\n| GPU | clock |\n|---|---|\n| 0 | 1980 |\n",
        "python": "import torch\n\n\ndef step(model, batch):\n    loss = model(batch)\n    loss.backward()\n    return loss.item()\n" * 5,
        "c": "#include <stdio.h>\nint main(void) {\n  printf(\"iter %d: loss %f\\n\", 1, 2.0);\n  return 0;\n}\n",
        "go": "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"hello\")\n}\n", "rust": "fn main() {\n    println!(\"{}\", 1 + 1);\n}\n", "js": "export const add = (a, b) => a + b;\nconsole.log(add(1, 2));\n",
        "html": "<!DOCTYPE html>\n<html><head><title>x</title></head><body><p>hello</p></body></html>\n", "css": "body { color: #222; margin: 0 }\nh1 { font-size: 2em }\n", "sql": "SELECT name, count(*) FROM jobs GROUP BY name ORDER BY 2 DESC;\n",
        "shell": "#!/bin/bash\nset -e\nsrun --label python train.py\n", "sbatch": "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --time=01:00:00\nsrun torchrun --nproc-per-node=8 train.py\n", "makefile": "all: a.o\n\tcc -o a a.o\n", "dockerfile": "FROM ubuntu:22.04\nRUN apt-get update\nCMD [\"bash\"]\n",
        "yaml": "model:\n  name: llama\n  layers: 32\noptimizer:\n  lr: 3e-4\n", "toml": "[package]\nname = \"x\"\nversion = \"0.1.0\"\n", "ini": "[server]\nport=8080\nhost=localhost\n", "json": "{\"name\": \"x\", \"version\": \"1.0.0\", \"dependencies\": {\"a\": \"^1\"}}\n", "jsonl": "".join('{"role": "user", "content": "hello %d"}\n' % i for i in range(9)),
        "csv sales": "date,region,units,price\n" + "".join(f"2026-11-{d:02d},north,{draw.randint(1, 90)},{draw.uniform(1, 9):.2f}\n" for d in range(1, 20)), "tsv genes": "gene\ttissue\tvalue\n" + "".join(f"G{i}\tliver\t{draw.uniform(0, 9):.3f}\n" for i in range(30)),
        "passwd": "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n", "hosts": "127.0.0.1 localhost\n10.0.0.7 gpu007\n", "fstab": "UUID=ab12 / ext4 defaults 0 1\n",
        "nginx": "".join(f'10.0.0.{i} - - [20/Nov/2026:09:00:{i:02d} +0000] "GET /metrics HTTP/1.1" 200 512 "-" "curl/8.0"\n' for i in range(20)), "apache error": "[Fri Nov 20 09:00:01.123456 2026] [core:notice] [pid 411] AH00094: Command line: '/usr/sbin/apache2'\n" * 5,
        "auth log": "Nov 20 09:00:01 gpu007 sshd[411]: Accepted publickey for a from 10.0.0.1 port 4222 ssh2\n" * 9, "cron": "Nov 20 09:17:01 gpu007 CRON[4222]: (root) CMD (run-parts /etc/cron.hourly)\n" * 9, "journal": "Nov 20 09:00:01 gpu007 systemd[1]: Started Daily apt download activities.\n" * 9,
        "pip": "Collecting torch\n  Downloading torch-2.8.0-cp312-manylinux_2_28_x86_64.whl (755.5 MB)\n     ━━━━━━━━━━━━━━━━━━━━ 755.5/755.5 MB 1.2 MB/s eta 0:00:00\nSuccessfully installed torch-2.8.0\n", "npm": "added 120 packages, and audited 121 packages in 4s\nfound 0 vulnerabilities\n",
        "cargo": "   Compiling serde v1.0.200\n    Finished dev [unoptimized + debuginfo] target(s) in 3.21s\n", "gcc": "a.c:3:5: error: expected ';' before 'return'\n    3 |   x = 1\n      |        ^\n", "cmake": "-- The C compiler identification is GNU 12.2.0\n-- Configuring done (0.1s)\n", "ninja": "[1/20] Building CXX object a.cc.o\n[20/20] Linking CXX executable a\n",
        "pytest": "============================= test session starts ==============================\ncollected 12 items\n\ntest_a.py ............                                                   [100%]\n\n============================== 12 passed in 0.12s ==============================\n", "git log": "commit 1f2e3d\nAuthor: A <a@example.org>\nDate:   Fri Nov 20 09:00:00 2026 +0000\n\n    Fix it\n", "diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
        "du": "4.0K\t./scripts\n1.2G\t./ckpt/step_4000\n87M\t./logs\n1.3G\t.\n", "free": "               total        used        free      shared  buff/cache   available\nMem:      2113929216   512000000   900000000       10240   701929216  1590000000\n", "ps": "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\nroot           1  0.0  0.0 168000 12000 ?        Ss   Nov19   0:03 /sbin/init\n",
        "ls": "total 12\n-rw-r--r-- 1 root root 4096 Nov 20 09:00 rank0.log\ndrwxr-xr-x 2 root root 4096 Nov 20 09:00 logs\n", "ping": "PING gpu007 (10.0.0.7) 56(84) bytes of data.\n64 bytes from 10.0.0.7: icmp_seq=1 ttl=64 time=0.21 ms\n--- gpu007 ping statistics ---\n1 packets transmitted, 1 received, 0% packet loss, time 0ms\n",
        "lscpu": "Architecture:            x86_64\nCPU(s):                  192\nModel name:              Intel(R) Xeon(R) Platinum 8468\n", "docker ps": "CONTAINER ID   IMAGE     COMMAND   CREATED       STATUS       PORTS     NAMES\nab12cd34ef56   nginx     \"nginx\"   2 hours ago   Up 2 hours   80/tcp    web\n", "ssh": "debug1: Connecting to gpu007 [10.0.0.7] port 22.\ndebug1: Connection established.\n",
        "tex": "\\documentclass{article}\n\\begin{document}\nHello\n\\end{document}\n", "svg": "<svg xmlns=\"http://www.w3.org/2000/svg\"><rect width=\"9\" height=\"9\"/></svg>\n", "xml": "<?xml version=\"1.0\"?>\n<jobs><job id=\"1\"><state>FAILED</state></job></jobs>\n", "ics": "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Standup\nEND:VEVENT\nEND:VCALENDAR\n",
        "srt": "1\n00:00:01,000 --> 00:00:02,000\nHello\n\n2\n00:00:03,000 --> 00:00:04,000\nWorld\n", "fasta": ">seq1\nACGTACGTACGT\n>seq2\nGGGTTTAAACCC\n", "pgn": "[Event \"x\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n", "loss only": "".join(f"epoch {i} loss {9 - i * 0.1:.3f}\n" for i in range(30)),
        "certificate": "-----BEGIN CERTIFICATE-----\n" + base64.b64encode(noise[:600]).decode() + "\n-----END CERTIFICATE-----\n", "blank": "\n\n\n", "empty": "",
    }
    out = {name: value.encode() for name, value in text.items()}
    out["noise"] = noise
    out["png"] = b"\x89PNG\r\n\x1a\n" + noise[:500]
    out["pickle"] = b"\x80\x04\x95" + noise[:300]
    return out
