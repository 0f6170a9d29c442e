package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A progress is a bar on a terminal, of two sessions or more.
type progress struct {
	w     io.Writer
	on    bool // it is a terminal
	last  time.Time
	drawn bool
}

// show says that so many sessions of all are done.
func (p *progress) show(done, all int) {
	if !p.on || all < 2 || done == 0 {
		return
	}
	if now := time.Now(); now.Sub(p.last) > 100*time.Millisecond || done == all {
		p.last, p.drawn = now, true
		const width = 30
		full := width * done / all
		fmt.Fprintf(p.w, "\r[%s%s] %d of %d sessions", strings.Repeat("#", full), strings.Repeat(".", width-full), done, all)
	}
}

// clear takes the bar away.
func (p *progress) clear() {
	if p.drawn {
		p.drawn = false
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", 70))
	}
}
