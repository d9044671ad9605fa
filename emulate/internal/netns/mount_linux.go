package netns

import (
	"os"

	"golang.org/x/sys/unix"
)

// detached makes a file system that is mounted nowhere and ends when it is closed.
// It needs Linux 5.2.
func detached(kind string) (*os.File, error) {
	fs, err := unix.Fsopen(kind, unix.FSOPEN_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("fsopen", err)
	}
	defer unix.Close(fs)
	if err := unix.FsconfigCreate(fs); err != nil {
		return nil, os.NewSyscallError("fsconfig", err)
	}
	fd, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("fsmount", err)
	}
	return os.NewFile(uintptr(fd), kind), nil
}

// graft mounts a file or folder of a file system over another path.
func graft(from *os.File, name, onto string) error {
	tree, err := unix.OpenTree(int(from.Fd()), name, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("open_tree", err)
	}
	defer unix.Close(tree)
	return os.NewSyscallError("move_mount", unix.MoveMount(tree, "", unix.AT_FDCWD, onto, unix.MOVE_MOUNT_F_EMPTY_PATH))
}
