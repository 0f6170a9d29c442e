package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/policy"
	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/internal/traffic"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire/chat"
)

// wireFlags tell what a deployment decided and no log holds.
func wireFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "images", Usage: "how the deployment sent images: files, inline or text-only (`MODE`)"},
		&cli.StringFlag{Name: "image-policy", Usage: "other image settings, as `KEY=VALUE,…`: pixels=640000, bytes=1MiB, count=600/20, files=128MiB/64MiB, inline=20MiB/10MiB, omit=N, handle=none|size|preview|path, root=FOLDER of the attachment store"},
		&cli.StringFlag{Name: "file-ids", Usage: "the provider's file ids: a JSON `FILE` of {\"sha256:…\":\"id\"}, or the harness's upload index"},
		&cli.StringFlag{Name: "omission-text", Usage: "the adapter's `TEXT` in place of an omitted image"},
		&cli.StringFlag{Name: "thinking", Usage: "the deployment's default for thinking: enabled or disabled (`MODE`)"},
		&cli.StringFlag{Name: "default-effort", Usage: "the deployment's default reasoning `EFFORT`, which is high unless it sets another"},
	}
}

func wireFlag() cli.Flag {
	return &cli.StringFlag{Name: "wire", Usage: "the HTTP bodies that the adapter of a `PROVIDER` posts, instead of the requests: deepseek"}
}

// needWire rejects flags about HTTP bodies where none are asked for.
func needWire(cmd *cli.Command, asked string) error {
	if cmd.String("wire") != "" || cmd.Bool("curl") {
		return nil
	}
	return rejectWire(cmd, asked, "allow-holes", "attachments")
}

// needCapture rejects what wireFlags say of a deployment where no captured bodies
// are compared.
func needCapture(cmd *cli.Command) error {
	if traffic.Is(cmd.String("recorded")) {
		return nil
	}
	return rejectWire(cmd, "--recorded with a folder of bodies or a HAR file")
}

func rejectWire(cmd *cli.Command, asked string, names ...string) error {
	for _, f := range wireFlags() {
		names = append(names, f.Names()...)
	}
	for _, name := range names {
		if cmd.IsSet(name) {
			return usagef("--%s is about HTTP bodies: it needs %s", name, asked)
		}
	}
	return nil
}

// A wirePolicy is what the flags and the policy file say of a deployment.
type wirePolicy struct {
	protocol wire.Protocol
	wire.Policy
	fixed map[string]bool   // settings that were given; the others may be inferred
	from  map[string]string // what gave a setting, by the keys of a policy's images
}

// readWirePolicy takes the settings of the policy file, and then those of the
// flags, which win.
func readWirePolicy(cmd *cli.Command, file *policy.Policy) (*wirePolicy, error) {
	p := &wirePolicy{chat.Protocol, wire.DefaultPolicy(), map[string]bool{}, map[string]string{}}
	for _, s := range file.Images {
		from := fmt.Sprintf("%s:%d", file.Path, s.Line)
		if err := p.image(s.Key, s.Value, from); err != nil {
			return nil, usagef("%s: images: %s", from, cause(err))
		}
	}
	for _, f := range []struct{ flag, key string }{{"images", "mode"}, {"omission-text", "omission-text"}, {"file-ids", "file-ids"}} {
		value := cmd.String(f.flag)
		if value == "" {
			continue
		}
		if err := p.image(f.key, value, "--"+f.flag); err != nil {
			code := exitUsage
			if f.key == "file-ids" {
				code = exitUnreadable
			}
			return nil, &statusError{code, "--" + f.flag + ": " + cause(err)}
		}
	}
	for _, setting := range strings.Split(cmd.String("image-policy"), ",") {
		if setting = strings.TrimSpace(setting); setting == "" {
			continue
		}
		key, value, _ := strings.Cut(setting, "=")
		if err := p.set(key, value, "--image-policy"); err != nil {
			return nil, usagef("--image-policy: %v", err)
		}
	}
	switch p.Thinking = cmd.String("thinking"); p.Thinking {
	case "", "enabled", "disabled":
		p.fixed["thinking"] = p.Thinking != ""
		if p.Thinking != "" {
			p.Effort = "" // what was given is all that the deployment adds
		}
	default:
		return nil, usagef("--thinking must be enabled or disabled, not %q", p.Thinking)
	}
	switch effort := cmd.String("default-effort"); effort {
	case "":
	case "off", "low", "high", "max":
		p.Effort, p.fixed["default-effort"] = effort, true
	default:
		return nil, usagef("--default-effort must be off, low, high or max, not %q", effort)
	}
	return p, nil
}

// image takes a setting by its key in a policy file.
func (p *wirePolicy) image(key, value, from string) (err error) {
	switch key {
	case "mode":
		p.fixed["images"] = true
		p.Images, err = wire.ParseImageMode(value)
	case "omission-text":
		p.OmissionText = value
	case "file-ids":
		p.fixed["file-ids"] = true
		p.FileIDs, err = readFileIDs(value)
	default:
		return p.set(key, value, from)
	}
	p.from[key] = from
	return err
}

// set takes a setting of --image-policy.
func (p *wirePolicy) set(key, value, from string) (err error) {
	p.from[key] = from
	switch key {
	case "handle":
		p.fixed["picture-handle"] = true
		p.Handle, err = wire.ParseHandleForm(value)
		return err
	case "root":
		p.fixed["attachments-root"] = true
		p.Root = value
		return nil
	}
	return p.setSize(key, value)
}

// setSize takes a setting that is a number or a bound.
func (p *wirePolicy) setSize(key, value string) error {
	first, second, isBound := strings.Cut(value, "/")
	n, err := parseSize(first)
	if key == "omit" && first == "0" {
		n, err = 0, nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	quantum := int64(1)
	if isBound {
		if quantum, err = parseSize(second); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	bounds := map[string]*wire.Bound{"count": &p.Count, "files": &p.FileBytes, "inline": &p.InlineBytes}
	if bound := bounds[key]; bound != nil {
		*bound = wire.Bound{Max: n, Quantum: quantum}
		p.fixed["omit"] = true
		return nil
	}
	if isBound {
		return fmt.Errorf("%s takes one value, not %q", key, value)
	}
	switch key {
	case "pixels":
		p.PixelBudget = n
	case "bytes":
		p.ByteCap = n
	case "omit":
		p.Omit, p.fixed["omit"] = int(min(n, 1<<30)), true
	default:
		return fmt.Errorf("no setting is called %q: there are pixels, bytes, count, files, inline, omit, handle and root", key)
	}
	return nil
}

// maxFileIDs bounds a file of ids, in bytes.
const maxFileIDs = 64 << 20

// readFileIDs reads a map of attachment id to file id, or the harness's own index
// of uploads.
func readFileIDs(path string) (map[string]string, error) {
	text, err := regular.ReadFile(path, maxFileIDs)
	if err != nil {
		return nil, err
	}
	if _, err := ecmajson.Check(text); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	ids := make(map[string]string)
	v := ecmajson.Value(strings.TrimSpace(string(text)))
	for record := range v.Lookup("records").Elements() {
		ids[record.Lookup("attachmentId").Text()] = record.Lookup("fileId").Text()
	}
	for key, value := range v.Members() {
		if strings.HasPrefix(key.Text(), "sha256:") && value.Kind() == ecmajson.String {
			ids[key.Text()] = value.Text()
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("%s: it names no file ids", path)
	}
	return ids, nil
}

func holesJSON(dst []byte, holes []wire.Hole) []byte {
	for i, h := range holes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"kind":`...)
		dst = strconv.AppendQuote(dst, string(h.Kind))
		dst = append(dst, `,"pointer":`...)
		dst = ecmajson.AppendString(dst, h.Pointer)
		dst = append(dst, `,"attachmentId":`...)
		dst = ecmajson.AppendString(dst, h.AttachmentID)
		dst = append(dst, `,"reason":`...)
		dst = ecmajson.AppendString(dst, h.Reason)
		dst = append(dst, '}')
	}
	return dst
}

// describeHole names a hole for a person.
func describeHole(h wire.Hole) string {
	s := string(h.Kind) + " at " + h.Pointer
	if h.AttachmentID != "" {
		s += " of " + h.AttachmentID
	}
	return s + ": " + h.Reason
}
