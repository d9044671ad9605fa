package report

import (
	"cmp"
	"image"
	"image/color"
	"image/png"
	"io"
	"slices"
)

const (
	// most is how many colours a PNG has at most.
	most = 64
	// apart is the least distance of two of them, squared: edges need no finer steps.
	apart = 24 * 24
)

// writePNG writes an image with few colours: the most frequent ones that differ, and the
// nearest of them in place of others. A drawing has few but for its soft edges, and takes a
// third of the bytes.
func writePNG(w io.Writer, img image.Image) error {
	count := map[color.RGBA]int{}
	b := img.Bounds()
	at := func(x, y int) color.RGBA {
		return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	list := make([]color.RGBA, 0, len(count))
	for c := range count {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(code(a), code(b)))
	})
	var palette color.Palette
	for _, c := range list {
		if len(palette) == most {
			break
		}
		if len(palette) == 0 || colourGap(c, palette[palette.Index(c)].(color.RGBA)) >= apart {
			palette = append(palette, c)
		}
	}
	index := map[color.RGBA]uint8{}
	for _, c := range list {
		index[c] = uint8(palette.Index(c))
	}
	out := image.NewPaletted(b, palette)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			out.SetColorIndex(x, y, index[at(x, y)])
		}
	}
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	return encoder.Encode(w, out)
}

// code orders colours.
func code(c color.RGBA) uint32 {
	return uint32(c.R)<<24 | uint32(c.G)<<16 | uint32(c.B)<<8 | uint32(c.A)
}

// colourGap is how far apart two colours are, squared.
func colourGap(a, b color.RGBA) int {
	r, g, u, v := int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B), int(a.A)-int(b.A)
	return r*r + g*g + u*u + v*v
}
