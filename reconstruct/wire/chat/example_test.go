package chat_test

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire/chat"
)

// Make the HTTP body of a request that a recording holds.
func Example() {
	request := wire.JSON(`{"model":"m","reasoningEffort":"high","messages":[{"role":"user","content":[{"type":"text","text":"How is "},{"type":"text","text":"the lamp?"}]}],"system":"Answer briefly."}`)
	body, err := wire.NewBuilder(chat.Protocol, wire.DefaultPolicy(), nil).Body(request)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(body.Bytes()))
	// Output: {"model":"m","messages":[{"role":"system","content":"Answer briefly."},{"role":"user","content":"How is the lamp?"}],"stream":true,"stream_options":{"include_usage":true},"thinking":{"type":"enabled"},"reasoning_effort":"high"}
}
