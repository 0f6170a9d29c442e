// Package wire turns a loop request into the HTTP body that a provider adapter
// posts for it.
//
// How a body is laid out is a [Protocol], in a package of its own below this one.
// What protocols share is here: the rope, its holes, the match with a capture, the
// texts that name images, the digest that goes on from the request before.
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
