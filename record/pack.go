package record

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"
)

// fewRows is up to how many rows of a table are packed as JSON: a Parquet file takes
// longer to begin and end than they take to write.
const fewRows = 32

// shortText is up to how many bytes compressing a text takes longer than it saves.
const shortText = 1024

// fewEnding ends the name of such a table instead of tableEnding.
const (
	tableEnding = ".parquet"
	fewEnding   = ".json"
)

func fewName(name string) string { return strings.TrimSuffix(name, tableEnding) + fewEnding }

// Pack returns a result as one file: a ZIP archive of the files of a run folder, in
// which a table of few rows is a list in JSON. It suits small results, of which a
// study has many. Tables are compressed already, and stored as they are; those
// without rows are left out.
func Pack(r *Result) ([]byte, error) { return new(Packer).Pack(r) }

// Packer packs one result after another in less time than Pack takes for each. The
// zero value is ready; it is not for several goroutines at a time.
type Packer struct {
	tables tables
	buffer bytes.Buffer
}

// Pack is like the function Pack.
func (p *Packer) Pack(r *Result) ([]byte, error) {
	p.buffer.Reset()
	z := zip.NewWriter(packing{&p.buffer, MostPacked})
	// The texts are short, and the usual compressor takes longer to begin than to
	// compress them.
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewStatelessWriter(w), nil })
	for _, f := range p.tables.filesOf(r, compact) {
		if err := pack(z, f); err != nil {
			return nil, fmt.Errorf("packing a result: %w", err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("packing a result: %w", err)
	}
	packed := bytes.Clone(p.buffer.Bytes())
	if a, err := openPack("the result", packed); err != nil {
		return nil, err
	} else if err := a.unpacks(); err != nil {
		return nil, fmt.Errorf("packing a result: %w", err)
	}
	return packed, nil
}

// MostPacked is the most bytes that a packed result has. Whoever reads one has it in memory as a whole.
const MostPacked = 512 << 20

// errTooLarge refuses a result that would be larger.
var errTooLarge = fmt.Errorf("it has more than %d MiB, the most that a study keeps of one run; record less: "+
	"fewer messages (record.flows: sample), fewer ports and connections (record.ports, record.windows), or longer buckets (record.interval)", MostPacked>>20)

// packing is the buffer of a result, as long as there is not too much in it.
type packing struct {
	*bytes.Buffer
	most int
}

func (p packing) Write(b []byte) (int, error) {
	if p.Len()+len(b) > p.most {
		return 0, errTooLarge
	}
	return p.Buffer.Write(b)
}

func pack(z *zip.Writer, f file) error {
	header := zip.FileHeader{Name: f.name, Method: zip.Store}
	switch {
	case f.spare && f.rows == 0:
		return nil
	case f.few == nil:
		header.Method = zip.Deflate
	case f.rows <= fewRows:
		text, err := compact(f.few())
		if err != nil {
			return err
		}
		header.Name = fewName(f.name)
		if len(text) > shortText {
			header.Method = zip.Deflate
		}
		f.content = func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		}
	}
	w, err := z.CreateHeader(&header)
	if err != nil {
		return err
	}
	return f.content(w)
}

// Unpack reads what Pack returned. The name is that of the file it was kept in,
// for messages.
func Unpack(name string, packed []byte) (*Result, error) {
	p, err := openPack(name, packed)
	if err != nil {
		return nil, err
	}
	m, err := manifestOf(p)
	if err != nil {
		return nil, err
	}
	return readRun(p, m)
}

// UnpackSummary reads manifest and summary only.
func UnpackSummary(name string, packed []byte) (Manifest, Summary, error) {
	p, err := openPack(name, packed)
	if err != nil {
		return Manifest{}, Summary{}, err
	}
	m, err := manifestOf(p)
	if err != nil {
		return Manifest{}, Summary{}, err
	}
	s, err := readSummary(p)
	return m.Manifest, s, err
}

// Packed holds the parts of a packed result that a study needs.
type Packed struct {
	// Manifest has what identifies its run.
	Manifest Manifest
	Summary  Summary
}

// CheckPack reads all of a packed result and keeps little of it. It fails if Unpack
// would.
func CheckPack(name string, packed []byte) (Packed, error) {
	p, err := openPack(name, packed)
	if err != nil {
		return Packed{}, err
	}
	m, err := manifestOf(p)
	if err != nil {
		return Packed{}, err
	}
	r, err := readRun(p, m)
	if err != nil {
		return Packed{}, err
	}
	return Packed{Manifest: m.Manifest, Summary: r.Summary}, nil
}

// UnpackTo writes what Pack returned as the folder of a run.
func UnpackTo(dir, name string, packed []byte) error {
	r, err := Unpack(name, packed)
	if err != nil {
		return err
	}
	return WriteFolder(dir, r)
}

// Limits of a packed result. An archive that says or holds more is refused before it
// fills memory or disk: whoever made it may be a stranger.
const (
	maxPackedFiles = 64
	maxUnpackedOne = 512 << 20
	// largeFile is up to which size a claim is believed before it is seen to be true.
	largeFile   = 1 << 20
	maxUnpacked = 1 << 30
	// maxTable bounds the rows of one table, and its pages unpacked: equal values take no
	// room in a file.
	maxTable = 2 << 30
)

// archive is the files of a run in an archive.
type archive struct {
	name string
	*zip.Reader
	// left is how many bytes may still be unpacked.
	left *int64
}

func openPack(name string, packed []byte) (archive, error) {
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return archive{}, fmt.Errorf("%s: damaged or not a packed result (%w); run the scenario again", name, err)
	}
	if len(z.File) > maxPackedFiles {
		return archive{}, fmt.Errorf("%s: not a packed result: it has %d files, but a result has at most %d", name, len(z.File), maxPackedFiles)
	}
	left := int64(maxUnpacked)
	return archive{name, z, &left}, nil
}

// unpacks tells whether whoever opens the archive may unpack all of it.
func (p archive) unpacks() error {
	whole := uint64(0)
	for _, f := range p.File {
		whole += f.UncompressedSize64
		if f.UncompressedSize64 > maxUnpackedOne || whole > maxUnpacked {
			return fmt.Errorf("%s has %d MiB of %d; a packed result may unpack to %d MiB, and each of its files to %d MiB; record less",
				f.Name, f.UncompressedSize64>>20, whole>>20, maxUnpacked>>20, maxUnpackedOne>>20)
		}
	}
	return nil
}

func (p archive) path(name string) string { return p.name + "/" + name }

func (p archive) few(table string) (name string, ok bool) {
	name = fewName(table)
	for _, f := range p.File {
		if f.Name == name {
			return name, true
		}
	}
	return "", false
}

func (p archive) open(name string) (*opened, error) {
	f, err := p.Reader.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; run the scenario again", p.path(name), err)
	}
	defer f.Close()
	most := min(*p.left, maxUnpackedOne)
	// The size that it claims is refused before anything is unpacked, and what is
	// unpacked is held to that size by the reader.
	info, err := f.Stat()
	if err != nil || info.Size() > most {
		return nil, fmt.Errorf("%s: refused: a packed result may unpack to %d MiB, and each of its files to %d MiB; record less",
			p.path(name), maxUnpacked>>20, maxUnpackedOne>>20)
	}
	var text bytes.Buffer
	text.Grow(int(min(info.Size(), largeFile)) + bytes.MinRead)
	if _, err := text.ReadFrom(io.LimitReader(f, most)); err != nil {
		return nil, fmt.Errorf("%s: damaged (%w); run the scenario again", p.path(name), err)
	}
	*p.left -= int64(text.Len())
	return &opened{bytes.NewReader(text.Bytes()), io.NopCloser(nil), int64(text.Len()), maxTable}, nil
}

// RunFile reports whether a file of that name may be part of a run's folder.
func RunFile(name string) bool { return slices.Contains(runFiles, name) }
