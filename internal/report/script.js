"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const root = document.documentElement;
  root.classList.add("scripted");

  const search = byId("search");
  const found = byId("found");
  const rows = all("table.list tbody tr");
  let opened = null; // the request that is open
  let cursor = null; // the row that the keys are on

  // A message or header is on the page once; where a request refers to it, a
  // copy is put when it is opened.
  const copyOf = (id) => {
    const source = byId(id);
    const copy = document.createElement("div");
    copy.className = source.className + " copy";
    for (const child of source.cloneNode(true).childNodes) copy.append(child.cloneNode(true));
    for (const part of all("[id]", copy)) part.removeAttribute("id");
    for (const place of all("[data-picture]", copy)) {
      const image = byId(place.dataset.picture)?.querySelector("img");
      if (image) place.prepend(image.cloneNode());
    }
    return copy;
  };

  // entries returns the list of a request's messages, those of the requests
  // before it included.
  const entries = (detail) => {
    const list = detail.querySelector("ol.entries");
    const own = [...list.children].filter((li) => !li.classList.contains("kept"));
    const base = list.querySelector(":scope > li.kept > details");
    if (!base) return own;
    const kept = [];
    let left = Number(base.dataset.kept);
    for (const li of entries(byId(base.dataset.base))) {
      if (left <= 0) break;
      kept.push(li);
      left -= Number(li.dataset.gap || 1);
    }
    return kept.concat(own);
  };

  const fill = (details) => {
    if (details.dataset.filled) return;
    details.dataset.filled = "yes";
    const summary = details.querySelector("summary");
    if (details.dataset.ref) {
      details.replaceChildren(summary, copyOf(details.dataset.ref));
    } else if (details.dataset.base) {
      const list = document.createElement("ol");
      list.className = "entries";
      let left = Number(details.dataset.kept);
      for (const li of entries(byId(details.dataset.base))) {
        if (left <= 0) break;
        left -= Number(li.dataset.gap || 1);
        const copy = li.cloneNode(true);
        for (const d of all("details", copy)) {
          d.removeAttribute("open");
          delete d.dataset.filled;
        }
        list.append(copy);
      }
      details.replaceChildren(summary, list);
    }
  };
  document.addEventListener("toggle", (event) => {
    const d = event.target;
    if (d.open && (d.dataset.ref || d.dataset.base)) fill(d);
  }, true);

  // Opening a request is going to its anchor, so links and history work.
  const button = (text, label, act) => {
    const b = document.createElement("button");
    b.type = "button";
    b.className = "ghost";
    b.textContent = text;
    b.setAttribute("aria-label", label);
    b.addEventListener("click", act);
    return b;
  };
  const visible = () => rows.filter((row) => row.dataset.opens && !row.dataset.out);
  const step = (by) => {
    const list = visible();
    if (!list.length) return;
    const at = cursor ? list.indexOf(cursor) : -1;
    move(list[Math.max(0, Math.min(list.length - 1, at < 0 ? (by > 0 ? 0 : list.length - 1) : at + by))]);
  };
  const move = (row) => {
    if (!row) return;
    cursor = row;
    turnTo(row);
    if (opened) location.hash = row.dataset.opens;
    else row.querySelector("a").focus();
    row.scrollIntoView({ block: "nearest" });
    highlight();
  };
  const highlight = () => {
    for (const row of rows) row.classList.toggle("here", row === cursor);
  };

  const show = (detail) => {
    if (opened && opened !== detail) opened.classList.remove("open");
    opened = detail;
    document.body.classList.toggle("opened", Boolean(detail));
    if (!detail) return;
    cursor = rows.find((row) => row.dataset.opens === detail.id) || cursor;
    highlight();
    const tools = detail.querySelector(".tools");
    if (!tools.childElementCount) {
      tools.append(
        button("↑", "Previous request", () => step(-1)),
        button("↓", "Next request", () => step(1)),
        button("✕", "Close", close),
      );
    }
    detail.classList.add("open");
    detail.scrollTop = 0;
    detail.focus({ preventScroll: true });
  };
  const close = () => {
    if (!opened) return;
    history.replaceState(null, "", location.pathname + location.search);
    show(null);
    cursor?.querySelector("a")?.focus();
  };
  const arrive = () => {
    const target = byId(decodeURIComponent(location.hash.slice(1)));
    if (target?.classList.contains("detail")) {
      show(target);
      return;
    }
    if (!target || target.id === "content") return;
    if (opened && matchMedia("(max-width: 1099px)").matches) show(null);
    for (let d = target.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", arrive);

  // Filters.
  const plain = (text) => text.toLowerCase().replace(/\s+/g, " ").trim();
  const texts = new Map(); // what a message or header says
  const says = (id) => {
    if (!texts.has(id)) texts.set(id, plain(byId(id)?.textContent || ""));
    return texts.get(id);
  };
  const chips = all(".chip");
  for (const chip of chips) {
    if (chip.dataset.kind === "drift") {
      const session = chip.closest(".requests");
      const count = all('tr[data-verdict="drift"]', session).length;
      chip.hidden = count === 0;
      chip.append(" ", Object.assign(document.createElement("span"), { className: "count", textContent: count }));
    }
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
      filter();
    });
  }

  const filter = () => {
    const phrase = plain(search.value);
    let requests = 0;
    const messages = new Set();
    for (const hit of all(".entry.hit")) hit.classList.remove("hit");
    for (const section of all(".requests")) {
      const kinds = new Set(all('.chip[aria-pressed="true"]', section).map((chip) => chip.dataset.kind));
      for (const row of all("tbody tr", section)) {
        let keep = !kinds.size || kinds.has(row.dataset.kind) || (kinds.has("drift") && row.dataset.verdict === "drift");
        if (keep && phrase) keep = matches(row, phrase, messages);
        if (keep) {
          delete row.dataset.out;
          requests++;
        } else {
          row.dataset.out = "yes";
        }
      }
      pages.set(section, 0);
      page(section);
    }
    const filtered = phrase || all('.chip[aria-pressed="true"]').length;
    found.textContent = filtered ? requests + " of " + rows.length + " requests" + (messages.size ? ", " + messages.size + (messages.size === 1 ? " message" : " messages") : "") : "";
  };
  const matches = (row, phrase, messages) => {
    const has = (text) => text.includes(phrase);
    let hit = has(plain(row.textContent));
    const detail = row.dataset.opens && byId(row.dataset.opens);
    if (!detail) return hit;
    for (const li of all(":scope > section > ol.entries > li.entry", detail)) {
      const id = li.querySelector("details").dataset.ref;
      if (has(says(id))) {
        li.classList.add("hit");
        messages.add(id);
        hit = true;
      }
    }
    if (row.dataset.kind === "first" || row.dataset.kind === "header") {
      const header = detail.querySelector("details.header");
      if (header && has(says(header.dataset.ref))) hit = true;
    }
    return hit;
  };

  // Long tables are shown a page at a time.
  const perPage = 100;
  const pages = new Map();
  const page = (section) => {
    const list = all("tbody tr", section);
    const kept = list.filter((row) => !row.dataset.out);
    const last = Math.max(0, Math.ceil(kept.length / perPage) - 1);
    const at = Math.max(0, Math.min(last, pages.get(section) || 0));
    pages.set(section, at);
    for (const row of list) row.hidden = true;
    for (const row of kept.slice(at * perPage, (at + 1) * perPage)) row.hidden = false;
    const pager = section.querySelector(".pager");
    pager.hidden = last === 0;
    pager.querySelector("span").textContent = "rows " + (at * perPage + 1) + " to " + Math.min(kept.length, (at + 1) * perPage) + " of " + kept.length;
    for (const b of all("button", pager)) b.disabled = Number(b.dataset.go) < 0 ? at === 0 : at === last;
    section.querySelector(".nothing").hidden = kept.length > 0;
  };
  const turnTo = (row) => {
    const section = row.closest(".requests");
    const at = Math.floor(all("tbody tr", section).filter((r) => !r.dataset.out).indexOf(row) / perPage);
    if (at >= 0 && at !== pages.get(section)) {
      pages.set(section, at);
      page(section);
    }
  };
  for (const section of all(".requests")) {
    for (const b of all(".pager button", section)) {
      b.addEventListener("click", () => {
        pages.set(section, pages.get(section) + Number(b.dataset.go));
        page(section);
      });
    }
    page(section);
  }

  for (const row of rows) {
    if (!row.dataset.opens) continue;
    row.addEventListener("click", (event) => {
      if (!event.target.closest("a") && !String(getSelection())) location.hash = row.dataset.opens;
    });
    row.querySelector("a").addEventListener("focus", () => {
      cursor = row;
      highlight();
    });
  }
  search.addEventListener("input", filter);

  // Keys.
  const keys = byId("keys");
  byId("keys-button").addEventListener("click", () => keys.showModal());
  byId("keys-close").addEventListener("click", () => keys.close());
  const next = (test) => {
    const list = visible();
    const from = cursor ? list.indexOf(cursor) + 1 : 0;
    move(list.slice(from).concat(list.slice(0, from)).find(test));
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
    if (event.target === search) {
      if (event.key === "Escape") {
        search.value = "";
        filter();
        search.blur();
      } else if (event.key === "Enter" || event.key === "ArrowDown") {
        cursor = null;
        step(1);
      } else {
        return;
      }
      event.preventDefault();
      return;
    }
    const inText = event.target.closest?.("pre, .detail");
    switch (event.key) {
      case "/": search.focus(); search.select(); break;
      case "?": keys.showModal(); break;
      case "j": step(1); break;
      case "k": step(-1); break;
      case "ArrowDown": if (inText || !cursor) return; step(1); break;
      case "ArrowUp": if (inText || !cursor) return; step(-1); break;
      case "d": next((row) => row.dataset.verdict === "drift"); break;
      case "b": next((row) => row.dataset.broke); break;
      case "Escape": close(); break;
      default: return;
    }
    event.preventDefault();
  });

  arrive();
})();
