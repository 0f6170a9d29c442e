package provider

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestUploads checks that bodies under way are bounded in sum, whether their lengths are
// known or not, and that what they held is given back.
func TestUploads(t *testing.T) {
	u := uploads{max: 4 * piece}
	inside, proceed := make(chan int), make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := u.read(w, r)
		defer u.release(body)
		if err != nil {
			refuse(w, err)
			return
		}
		inside <- len(body)
		<-proceed
	}))
	defer server.Close()
	post := func(body io.Reader) <-chan int {
		status := make(chan int, 1)
		go func() {
			response, err := http.Post(server.URL, "application/json", body)
			if err != nil {
				status <- 0
				return
			}
			response.Body.Close()
			status <- response.StatusCode
		}()
		return status
	}
	first := post(bytes.NewReader(make([]byte, 3*piece)))
	if n := <-inside; n != 3*piece {
		t.Errorf("%d bytes of %d came", n, 3*piece)
	}
	for name, body := range map[string]io.Reader{
		"of a known length": bytes.NewReader(make([]byte, 3*piece)),
		"of an unknown one": io.MultiReader(strings.NewReader("x"), bytes.NewReader(make([]byte, 2*piece))),
	} {
		if status := <-post(body); status != http.StatusServiceUnavailable {
			t.Errorf("a body %s is answered with %d while another one is forwarded", name, status)
		}
	}
	proceed <- true
	if status := <-first; status != http.StatusOK {
		t.Errorf("the first body is answered with %d", status)
	}
	second := post(io.MultiReader(strings.NewReader("x"), bytes.NewReader(make([]byte, piece))))
	if n := <-inside; n != piece+1 {
		t.Errorf("%d bytes of %d came", n, piece+1)
	}
	proceed <- true
	if status := <-second; status != http.StatusOK || u.held != 0 {
		t.Errorf("the second body is answered with %d, and %d bytes are held", status, u.held)
	}
	if status := <-post(bytes.NewReader(make([]byte, MaxBody+1))); status != http.StatusRequestEntityTooLarge && status != 0 {
		t.Errorf("a body that is too long is answered with %d", status)
	}
}
