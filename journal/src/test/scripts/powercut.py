#!/usr/bin/env python3
"""A file system that can lose power: ext4 on a loop device, shut down without writing anything back.

  powercut.py create IMAGE MOUNT MIB   create and mount it
  powercut.py cut MOUNT                cut the power: unsynced data and metadata are lost
  powercut.py remount IMAGE MOUNT      restore the power
  powercut.py destroy IMAGE MOUNT      unmount and delete it

Needs root and loop devices. Kill the writer before the cut: an fdatasync that the cut catches in flight can
return 0 although nothing reached the disk.
"""
import fcntl
import os
import struct
import subprocess
import sys

EXT4_IOC_SHUTDOWN = 0x8004587D
WITHOUT_FLUSHING_THE_LOG = 2


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def device_of(image):
    return run("losetup", "-j", image).split(":")[0]


def create(image, mount, mebibytes):
    with open(image, "wb") as file:
        file.truncate(int(mebibytes) << 20)
    device = run("losetup", "-f", "--show", image).strip()
    run("mkfs.ext4", "-q", device)
    os.makedirs(mount, exist_ok=True)
    run("mount", device, mount)


def cut(mount):
    directory = os.open(mount, os.O_RDONLY)
    fcntl.ioctl(directory, EXT4_IOC_SHUTDOWN, struct.pack("I", WITHOUT_FLUSHING_THE_LOG))
    os.close(directory)


def remount(image, mount):
    run("umount", mount)
    run("mount", device_of(image), mount)


def destroy(image, mount):
    subprocess.run(["umount", mount], capture_output=True)
    device = device_of(image)
    if device:
        run("losetup", "-d", device)
    os.unlink(image)


if __name__ == "__main__":
    {"create": create, "cut": cut, "remount": remount, "destroy": destroy}[sys.argv[1]](*sys.argv[2:])
