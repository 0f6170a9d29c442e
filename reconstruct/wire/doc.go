// Package wire turns a loop request into the HTTP body that a provider adapter
// posts for it.
//
// # The DeepSeek body
//
// The adapter posts JSON.stringify of, in this key order,
//
//	{"model","messages","stream":true,"stream_options":{"include_usage":true},
//	 "thinking"?,"reasoning_effort"?,"tools"?,"temperature"?,"max_tokens"?,"stop"?}
//
// with the system prompt as the first message, each tool result as a message of
// role tool, and the text blocks of a message joined. For requests without images
// the body is a function of the request, and the package rebuilds it byte for
// byte.
//
// # Images
//
// With images it is not: whether they go as file ids, inline or not at all is up
// to the deployment (a [Policy]), resized variants are in the harness's cache or
// nowhere, and file ids are the provider's. Each such place that neither policy
// nor store fills is a [Hole]: named, printed as a placeholder, and matched by
// [Body.Match] against what a capture holds there, while everything around it is
// compared exactly. What the body rests on beside the request is listed as
// [Assumption]. How an image is named to the model is one of them: a [HandleForm]
// tells releases apart.
//
// # Extensions
//
// From release 0.1.2 on plugins append members after the last of a body. They are no
// part of the request: [CutExtensions] takes them off a capture before it is matched.
//
// # Cost
//
// A [Builder] converts each message once and shares the result between the
// requests that hold it. A body is a rope over the request's own bytes.
package wire
