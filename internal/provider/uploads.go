package provider

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// The bounds of what clients can make the proxy hold.
const (
	MaxBody        = 256 << 20        // bytes of one body
	MaxUploads     = 512 << 20        // bytes of all bodies that are being received or forwarded
	MaxConnections = 256              // open at a time; others wait
	UploadPause    = 30 * time.Second // the longest that a body may stand still
	piece          = 64 << 10         // bytes that are read at a time
)

// The reasons for which a body is not taken.
var (
	errTooLong = fmt.Errorf("it is longer than %d bytes", MaxBody)
	errFull    = fmt.Errorf("the bodies under way would be longer than %d bytes in sum", MaxUploads)
)

// uploads counts the memory that open uploads hold.
type uploads struct {
	max  int64
	mu   sync.Mutex
	held int64
}

func (u *uploads) take(n int) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.held+int64(n) > u.max {
		return false
	}
	u.held += int64(n)
	return true
}

// release gives back the memory of a body that read returned.
func (u *uploads) release(body []byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.held -= int64(cap(body))
}

// read reads a request's body. What it returns has to be released, with an error too.
func (u *uploads) read(w http.ResponseWriter, r *http.Request) (body []byte, err error) {
	if r.ContentLength > MaxBody {
		return nil, errTooLong
	}
	clock := http.NewResponseController(w)
	defer clock.SetReadDeadline(time.Time{})
	for {
		if len(body) == cap(body) {
			if body, err = u.grow(body, r.ContentLength); err != nil {
				return body, err
			}
		}
		clock.SetReadDeadline(time.Now().Add(UploadPause))
		n, err := r.Body.Read(body[len(body):min(cap(body), len(body)+piece)])
		body = body[:len(body)+n]
		switch {
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return body, err
		}
	}
}

// grow makes room, for all of the body when its length is known.
func (u *uploads) grow(body []byte, length int64) ([]byte, error) {
	size := max(2*cap(body), piece)
	if cap(body) == 0 && length > 0 {
		size = int(length) + 1 // the end is seen by one read more
	}
	if size = min(size, MaxBody+1); size <= cap(body) {
		return body, errTooLong
	}
	if !u.take(size) { // the old room is held until its bytes are copied
		return body, errFull
	}
	grown := make([]byte, len(body), size)
	copy(grown, body)
	u.release(body)
	return grown, nil
}

// refuse answers a request whose body was not taken.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusBadRequest
	switch {
	case errors.Is(err, errTooLong):
		status = http.StatusRequestEntityTooLarge
	case errors.Is(err, errFull):
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "1")
	}
	http.Error(w, "dsh-verify: the request body could not be read", status)
}
