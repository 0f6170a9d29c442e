package authored_test

import (
	"bytes"
	"fmt"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/container/authored"
)

// Number the events of an authored transcript and read it as a log.
func ExampleComplete() {
	transcript := []byte(`{"type":"session","version":0,"id":"demo","createdAt":0,"cwd":"{{cwd}}","delegationDepth":0}
{"type":"turn/start","data":{"turn":1}}
{"type":"turn/end","data":{"turn":1,"reason":{"kind":"completed"}}}
`)
	log, err := authored.Complete(transcript, authored.Sidecars{})
	if err != nil {
		panic(err)
	}
	for e, err := range logformat.NewReader(bytes.NewReader(log.Text), logformat.Options{}).Events() {
		if err != nil {
			panic(err)
		}
		fmt.Println(e.Seq, e.Type)
	}
	// Output:
	// 0 turn/start
	// 1 turn/end
}
