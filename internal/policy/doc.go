// Package policy reads the file in which a team says how it weighs findings and
// what its deployment is like, and applies it to reports.
//
// The file is called .dsh-verify.yaml. The nearest one upwards from what is checked
// is in force. All its keys are optional:
//
//	severities:                  # the weight of findings, by code: note, warning, error
//	  audit/nul: error
//	  object/not-checked: error
//	ignore:                      # findings that are known and accepted
//	  - code: recording/drift    # a code, or a group as audit/*
//	    path: legacy/**          # of the log or of the finding's file; none: everywhere
//	    reason: recorded before the proxy kept whole bodies
//	vocabulary:                  # event types of plugins, admitted when logs are read
//	  - acme/heartbeat
//	images:                      # how the deployment sends images: as --images, --image-policy, …
//	  mode: files
//	  pixels: 640000
//	attachments:                 # object stores, asked in this order
//	  - ../store/attachments/v1
//
// Paths are relative to the file's folder. In a pattern, * and ? stay within a
// segment and ** spans any number of them; a pattern that matches a folder matches
// all below it. A key that is not known is an error: a misspelt policy is none.
//
// # What it does to a verdict
//
// A severity that is raised to error makes the verdict drift. One that is lowered,
// and a finding that is ignored, impose nothing any more; but what they set aside
// was seen, so the log is never called verified: it is rebuilt at best. An ignored
// refusal leaves its log unverifiable, because nothing of it was rebuilt. The
// severity of refusals and of inputs that cannot be read is fixed: they can only be
// ignored, with a reason.
//
// An ignored finding stays in every report, with the reason.
package policy
