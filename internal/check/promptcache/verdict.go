package promptcache

import "slices"

// settle judges the open request: all that is reported for it has been read.
func (a *analysis) settle() {
	row := a.open
	if row == nil {
		return
	}
	a.open = nil
	causes := append(slices.Clone(a.pending), row.Causes...)
	a.judge(row, causes)
	if whole := row.Usage.prompt(); whole >= 0 {
		a.prompts.add(a.openKey, sentPrompt{row.Messages, whole})
		a.last = whole
		a.pending = nil
	} else {
		a.pending = causes // it may have left nothing in the cache
	}
}

// judge settles a request's verdict and what it lost.
func (a *analysis) judge(row *Request, causes []Cause) {
	got, whole := row.Usage.CacheRead, row.Usage.prompt()
	row.Reference = a.last
	if a.last < 0 {
		row.Expected = -1
	}
	switch {
	case !row.Usage.reportsCache():
		row.Verdict = NotReported
		return
	}
	row.Lost, row.LostToNothing = 0, 0
	switch {
	case row.First || row.Inherited:
		row.Verdict = ColdStart
		if got > 0 {
			row.Verdict = Hit
		}
		return
	case a.last < 0:
		row.Verdict = TooFew
		return
	}
	row.Reference = min(a.last, whole)
	row.Expected = min(row.Expected, whole)
	switch {
	case row.Reference <= a.slack:
		row.Verdict = TooFew
		return
	case got >= row.Reference-a.slack:
		row.Verdict = Hit
		return
	}
	row.Lost = row.Reference - got
	explained := slices.IndexFunc(causes, func(c Cause) bool { return c.Resets })
	if explained >= 0 {
		row.blame = causes[explained]
	}
	switch {
	case explained < 0:
		row.Verdict, row.LostToNothing = UnexplainedDrop, row.Lost
	case row.Expected > a.slack && got < row.Expected-a.slack:
		row.Verdict, row.LostToNothing = UnexplainedDrop, min(row.Lost, row.Expected-got)
	default:
		row.Verdict = ExplainedDrop
	}
}
