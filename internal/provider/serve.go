package provider

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"
)

// Grace is how long answers that are under way may take to end when a recording ends.
const Grace = 5 * time.Second

// An Ending is told that a recording ends, and how many answers are under way. It calls
// wait, which lets them end: for [Grace], or until the context that it is given ends. Wait
// returns how many answers were cut.
type Ending func(ctx context.Context, wait func(context.Context) (cut int), answers int)

// Serve forwards what comes to a listener until the context ends. Then it takes no more,
// and ending decides how long answers may take. The error is that of serving.
func (p *Proxy) Serve(ctx context.Context, listener net.Listener, ending Ending) error {
	listener = netutil.LimitListener(listener, MaxConnections)
	server := &http.Server{Handler: p, ReadHeaderTimeout: UploadPause, IdleTimeout: time.Minute, ErrorLog: p.ErrorLog()}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		p.end(server, ending)
		err = <-done
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func (p *Proxy) end(server *http.Server, ending Ending) {
	limit, cancel := context.WithTimeout(context.Background(), Grace)
	defer cancel()
	ending(limit, func(ctx context.Context) (cut int) {
		if server.Shutdown(ctx) != nil {
			cut = p.Answering()
			server.Close()
		}
		return cut
	}, p.Answering())
}
