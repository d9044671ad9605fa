// Package pcapng writes UDP datagrams as a capture file for Wireshark and tshark: pcapng, with one
// section and one interface.
//
// A program that sends datagrams does not see their IP and UDP headers. [Writer] reconstructs these
// from addresses, ports and ECN bits, with correct checksums. The link type is raw IP, so there is
// no Ethernet header. Times are in nanoseconds.
//
// # Blocks
//
// All numbers are little endian. The format is specified in draft-ietf-opsawg-pcapng:
//
//	block                  options
//	section header         shb_userappl: "weft"
//	interface description  if_name, if_description, if_tsresol: 9
//	enhanced packet        epb_flags: 1 received, 2 sent
//
// Each call of the io.Writer passes one block, and the first call both descriptive blocks. The
// library gopacket also writes this format, but adds 2 MB to a program because it brings decoders
// for all protocols. The tests use it to read.
package pcapng
