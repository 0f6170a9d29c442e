package wire_test

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// Make the HTTP body of a request that a recording holds.
func ExampleBuilder_DeepSeek() {
	request := wire.JSON(`{"model":"m","reasoningEffort":"high","messages":[{"role":"user","content":[{"type":"text","text":"How is "},{"type":"text","text":"the lamp?"}]}],"system":"Answer briefly."}`)
	body, err := wire.NewBuilder(wire.DefaultPolicy(), nil).DeepSeek(request)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(body.Bytes()))
	// Output: {"model":"m","messages":[{"role":"system","content":"Answer briefly."},{"role":"user","content":"How is the lamp?"}],"stream":true,"stream_options":{"include_usage":true},"thinking":{"type":"enabled"},"reasoning_effort":"high"}
}
