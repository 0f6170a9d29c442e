package objectstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"testing"
	"testing/iotest"

	"golang.org/x/image/webp"
)

func encoded(t testing.TB, encode func(*bytes.Buffer, image.Image) error) []byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, 37, 21), color.Palette{color.Black, color.White})
	var b bytes.Buffer
	if err := encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// samples are encoded images, each with the decoder that says what it is.
func samples(t testing.TB) map[string][]byte {
	files := map[string][]byte{
		"png":  encoded(t, func(b *bytes.Buffer, m image.Image) error { return png.Encode(b, m) }),
		"jpeg": encoded(t, func(b *bytes.Buffer, m image.Image) error { return jpeg.Encode(b, m, nil) }),
		"gif":  encoded(t, func(b *bytes.Buffer, m image.Image) error { return gif.Encode(b, m, nil) }),
		// Two more forms of WebP, by RFC 9649: a lossless and a lossy header. The
		// decoder needs no pixels to tell their size.
		"webp/lossless": webpFile("VP8L", []byte{0x2F, 0x24, 0x00, 0x05, 0x00, 0, 0, 0, 0, 0}),
		"webp/lossy":    webpFile("VP8 ", []byte{0x10, 0x00, 0x00, 0x9D, 0x01, 0x2A, 37, 0, 21, 0}),
	}
	for name, path := range map[string]string{"png/cached": "low-colour.png", "jpeg/cached": "opaque.jpg", "webp/extended": "extended.webp"} {
		data, err := os.ReadFile("testdata/" + path)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	return files
}

func webpFile(chunk string, payload []byte) []byte {
	b := append([]byte("RIFF\x00\x00\x00\x00WEBP"), chunk...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(payload)))
	b = append(b, payload...)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
}

func decodeConfig(data []byte) (image.Config, string, error) {
	for mediaType, decode := range map[string]func([]byte) (image.Config, error){
		"image/png":  func(b []byte) (image.Config, error) { return png.DecodeConfig(bytes.NewReader(b)) },
		"image/jpeg": func(b []byte) (image.Config, error) { return jpeg.DecodeConfig(bytes.NewReader(b)) },
		"image/gif":  func(b []byte) (image.Config, error) { return gif.DecodeConfig(bytes.NewReader(b)) },
		"image/webp": func(b []byte) (image.Config, error) { return webp.DecodeConfig(bytes.NewReader(b)) },
	} {
		if config, err := decode(data); err == nil {
			return config, mediaType, nil
		}
	}
	return image.Config{}, "", errors.New("no decoder takes it")
}

func TestSniff(t *testing.T) {
	for name, data := range samples(t) {
		want, mediaType, err := decodeConfig(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := Sniff(iotest.OneByteReader(bytes.NewReader(data)))
		if err != nil || got != (Image{mediaType, int64(want.Width), int64(want.Height)}) {
			t.Errorf("%s: %+v, %v; want %s %d×%d", name, got, err, mediaType, want.Width, want.Height)
		}
	}
}

// TestSniffDamaged cuts and flips every header: never a panic, and what is read
// from a cut file is what was read from the whole.
func TestSniffDamaged(t *testing.T) {
	for name, data := range samples(t) {
		whole, _ := Sniff(bytes.NewReader(data))
		for at := range data[:min(len(data), 700)] {
			if got, err := Sniff(bytes.NewReader(data[:at])); err == nil && got != whole {
				t.Errorf("%s cut at %d: %+v", name, at, got)
			}
			flipped := bytes.Clone(data)
			flipped[at] ^= 0x81
			Sniff(bytes.NewReader(flipped))
		}
	}
}

func FuzzSniff(f *testing.F) {
	for _, data := range samples(f) {
		f.Add(data[:min(len(data), 2048)])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Sniff(bytes.NewReader(data))
		if err == nil && (got.Width < 1 || got.Height < 1 || got.MediaType == "") {
			t.Fatalf("%+v", got)
		}
	})
}
