package io.github.stablecut.cluster;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The local ports of a process's TCP connections, read from Linux's {@code /proc}. */
final class OpenPorts {
  private static final Path PROC = Path.of("/proc");

  private OpenPorts() {}

  /** Whether this machine has that information. */
  static boolean areKnown() {
    return Files.isReadable(PROC.resolve("net/tcp"));
  }

  /** The ports of a process; empty if it does not run. */
  static Set<Integer> of(long process) throws IOException {
    Set<String> sockets = sockets(process);
    Set<Integer> ports = new HashSet<>();
    for (String table : List.of("net/tcp", "net/tcp6")) {
      Path file = PROC.resolve(table);
      if (Files.exists(file)) {
        for (String line : Files.readAllLines(file)) {
          // "0: 0100007F:1F90 remote state ... inode"; the first line has the column names.
          String[] fields = line.strip().split(" +", -1);
          if (fields.length > 9 && sockets.contains("socket:[" + fields[9] + "]")) {
            ports.add(Integer.parseInt(fields[1].replaceFirst(".*:", ""), 16));
          }
        }
      }
    }
    return ports;
  }

  private static Set<String> sockets(long process) throws IOException {
    Set<String> sockets = new HashSet<>();
    Path directory = PROC.resolve(Long.toString(process)).resolve("fd");
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(directory)) {
      for (Path descriptor : descriptors) {
        try {
          sockets.add(Files.readSymbolicLink(descriptor).toString());
        } catch (NoSuchFileException e) {
          // Closed meanwhile.
        }
      }
    } catch (NoSuchFileException e) {
      // The process has ended.
    }
    return sockets;
  }
}
