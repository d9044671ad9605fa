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

// fewRows is up to how many rows a table is packed as JSON. For fewer rows, opening and closing a
// Parquet file takes longer than writing them.
const fewRows = 32

// shortText is the size in bytes up to which compressing a text takes more time than it is worth.
const shortText = 1024

// fewEnding replaces tableEnding in the name of a table packed as JSON.
const (
	tableEnding = ".parquet"
	fewEnding   = ".json"
)

func fewName(name string) string { return strings.TrimSuffix(name, tableEnding) + fewEnding }

// Pack returns a result as one file: a ZIP archive of the files of a run folder, in which tables
// of few rows are JSON lists. It suits the many small results of a study. Parquet tables are
// already compressed and are stored as they are; empty tables are left out.
func Pack(r *Result) ([]byte, error) { return new(Packer).Pack(r) }

// Packer packs results one after another, faster than separate calls of Pack. The zero value is
// ready. It is not safe for concurrent use.
type Packer struct {
	tables tables
	buffer bytes.Buffer
}

// Pack is like the function Pack.
func (p *Packer) Pack(r *Result) ([]byte, error) {
	p.buffer.Reset()
	z := zip.NewWriter(packing{&p.buffer, MostPacked})
	// The texts are short, and the default compressor takes longer to start than to compress
	// them.
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

// MostPacked is the largest packed result, in bytes. Readers hold it in memory as a whole.
const MostPacked = 512 << 20

// errTooLarge rejects a result that would be larger.
var errTooLarge = fmt.Errorf("it has more than %d MiB, the most that a study keeps of one run; record less: "+
	"fewer messages (record.flows: sample), fewer ports and connections (record.ports, record.windows), or longer buckets (record.interval)", MostPacked>>20)

// packing is the buffer for a packed result, with a size limit.
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

// Unpack reads what Pack returned. name is the file that it was kept in, for messages.
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

// UnpackSummary reads only the manifest and the summary.
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
	// Manifest identifies the run.
	Manifest Manifest
	Summary  Summary
}

// CheckPack reads all of a packed result and keeps little of it. It fails if Unpack would.
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

// UnpackTo writes a packed result as the folder of a run.
func UnpackTo(dir, name string, packed []byte) error {
	r, err := Unpack(name, packed)
	if err != nil {
		return err
	}
	return WriteFolder(dir, r)
}

// Limits of a packed result. An archive that claims or holds more is rejected before it fills
// memory or disk, because its author may be a stranger.
const (
	maxPackedFiles = 64
	maxUnpackedOne = 512 << 20
	// largeFile is the size up to which a claimed size is trusted when memory is reserved.
	largeFile   = 1 << 20
	maxUnpacked = 1 << 30
	// maxTable limits the memory of one table's rows, and its unpacked pages: equal values take
	// no space in a file.
	maxTable = 2 << 30
)

// archive is the files of a run in a ZIP archive.
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

// unpacks checks that the archive stays within the limits of readers.
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
	// The claimed size is checked before anything is unpacked, and the reader enforces it while
	// unpacking.
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
