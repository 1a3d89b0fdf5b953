// Search from files on disk. A browser refuses file: pages both the request for the index and the worker that searches it:
// the index comes as a script (search/search_index.js), and the worker's script runs in a hidden frame.
"use strict";
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "Search";
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.inside.importScripts = (...urls) => Promise.all(urls.map((one) => this.load(one)));
      this.load(url).then(() => {
        this.ready = true;
        this.waiting.splice(0).forEach((data) => this.tell(data));
      });
    }
    load(url) {
      const script = this.inside.document.createElement("script");
      script.src = new URL(url, location.href).href;
      return new Promise((done) => {
        script.addEventListener("load", done);
        this.inside.document.body.append(script);
      });
    }
    tell(data) {
      this.inside.dispatchEvent(new MessageEvent("message", { data }));
    }
    postMessage(data) {
      if (this.ready) this.tell(data);
      else this.waiting.push(data);
    }
    terminate() {}
  };
  window.Worker = window.IFrameWorker;
}

// Blocks of code that scroll are reached by the keyboard too.
document.addEventListener("DOMContentLoaded", () => {
  for (const code of document.querySelectorAll("pre > code")) code.tabIndex = 0;
});
