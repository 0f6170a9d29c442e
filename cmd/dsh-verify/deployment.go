package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/policy"
	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/internal/traffic"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire/chat"
)

// deploymentOptions tell what a deployment decided and no log holds.
type deploymentOptions struct {
	images       string
	imagePolicy  string
	fileIDs      string // a file
	omissionText string
	thinking     string
	effort       string
}

func (o *deploymentOptions) deploymentFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "images", Usage: "how the deployment sent images: files, inline or text-only (`MODE`)", Destination: &o.images},
		&cli.StringFlag{Name: "image-policy", Usage: "other image settings, as `KEY=VALUE,…`: pixels=640000, bytes=1MiB, count=600/20, files=128MiB/64MiB, inline=20MiB/10MiB, omit=N, handle=none|size|preview|path, root=FOLDER of the attachment store", Destination: &o.imagePolicy},
		&cli.StringFlag{Name: "file-ids", Usage: "the provider's file ids: a JSON `FILE` of {\"sha256:…\":\"id\"}, or the harness's upload index", Destination: &o.fileIDs},
		&cli.StringFlag{Name: "omission-text", Usage: "the adapter's `TEXT` in place of an omitted image", Destination: &o.omissionText},
		&cli.StringFlag{Name: "thinking", Usage: "the deployment's default for thinking: enabled or disabled (`MODE`)", Destination: &o.thinking, Validator: oneOf("thinking", "enabled", "disabled")},
		&cli.StringFlag{Name: "default-effort", Usage: "the deployment's default reasoning `EFFORT`, which is high unless it sets another", Destination: &o.effort, Validator: oneOf("default-effort", "off", "low", "high", "max")},
	}
}

// given names a flag about HTTP bodies that was given, "" when none was.
func (o *checkOptions) given(holes bool) string {
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"allow-holes", holes},
		{"attachments", o.attachments != ""},
		{"images", o.images != ""},
		{"image-policy", o.imagePolicy != ""},
		{"file-ids", o.fileIDs != ""},
		{"omission-text", o.omissionText != ""},
		{"thinking", o.thinking != ""},
		{"default-effort", o.effort != ""},
	} {
		if f.given {
			return f.name
		}
	}
	return ""
}

// needWire rejects flags about HTTP bodies where none are asked for; asked is what would
// ask for them.
func (o *checkOptions) needWire(asked string, holes bool) error {
	if name := o.given(holes); o.protocol == nil && name != "" {
		return usagef("--%s is about HTTP bodies: it needs %s", name, asked)
	}
	return nil
}

// needCapture rejects what the flags say of a deployment where no captured bodies are
// compared.
func (o *checkOptions) needCapture() error {
	about := checkOptions{deploymentOptions: o.deploymentOptions}
	if traffic.Is(o.recorded) {
		return nil
	}
	return about.needWire("--recorded with a folder of bodies or a HAR file", false)
}

// A deployment is what the flags and the policy file say of it.
type deployment struct {
	protocol wire.Protocol
	wire.Policy
	fixed map[string]bool   // settings that were given; the others may be inferred
	from  map[string]string // what gave a setting, by the keys of a policy's images
}

// deployment takes the settings of the policy file, and then those of the flags, which
// win.
func (o *deploymentOptions) deployment(file *policy.Policy) (*deployment, error) {
	p := &deployment{chat.Protocol, wire.DefaultPolicy(), map[string]bool{}, map[string]string{}}
	for _, s := range file.Images {
		from := fmt.Sprintf("%s:%d", file.Path, s.Line)
		if err := p.image(s.Key, s.Value, from); err != nil {
			return nil, usagef("%s: images: %s", from, cause(err))
		}
	}
	for _, f := range []struct{ flag, key, value string }{{"images", "mode", o.images}, {"omission-text", "omission-text", o.omissionText}, {"file-ids", "file-ids", o.fileIDs}} {
		if f.value == "" {
			continue
		}
		if err := p.image(f.key, f.value, "--"+f.flag); err != nil {
			code := exitUsage
			if f.key == "file-ids" {
				code = exitUnreadable
			}
			return nil, &statusError{code, "--" + f.flag + ": " + cause(err)}
		}
	}
	for _, setting := range strings.Split(o.imagePolicy, ",") {
		if setting = strings.TrimSpace(setting); setting == "" {
			continue
		}
		key, value, _ := strings.Cut(setting, "=")
		if err := p.set(key, value, "--image-policy"); err != nil {
			return nil, usagef("--image-policy: %v", err)
		}
	}
	p.Thinking, p.fixed["thinking"] = o.thinking, o.thinking != ""
	if o.thinking != "" {
		p.Effort = "" // what was given is all that the deployment adds
	}
	if o.effort != "" {
		p.Effort, p.fixed["default-effort"] = o.effort, true
	}
	return p, nil
}

// image takes a setting by its key in a policy file.
func (p *deployment) image(key, value, from string) (err error) {
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
func (p *deployment) set(key, value, from string) (err error) {
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
func (p *deployment) setSize(key, value string) error {
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
