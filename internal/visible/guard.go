package visible

import (
	"io"
	"sync"
)

// A Guard passes output on, the commands of CI services in it taken apart. Texts that
// went through [Text] one by one can make a command together, as a name that ends in "#"
// and one that starts with "#[". It must see all that is written to the place, and
// several goroutines can write to it.
type Guard struct {
	mu    sync.Mutex
	w     io.Writer
	state commands
}

// NewGuard returns a guard before w.
func NewGuard(w io.Writer) *Guard { return &Guard{w: w} }

func (g *Guard) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, err := g.w.Write(g.state.disarm(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
