package io.github.stablecut.cluster;

import io.github.stablecut.cluster.command.Serve;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.journal.JvmFlags;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A class-data-sharing archive of the libraries for the processes that tests start: loading and
 * verifying the classes one by one takes a third of a start's processor time. It is made once for
 * all test processes of this module. Without it, they start more slowly.
 */
final class LibraryArchive {
  private static final String OWN_CLASSES = "io/github/stablecut/";

  private static final List<String> FLAGS = flagsOnce();

  private LibraryArchive() {}

  /** JVM flags for use with {@link #classPath}. */
  static List<String> flags() {
    return FLAGS;
  }

  /**
   * This JVM's class path with libraries first: an archive is valid for class paths that begin like
   * its own.
   */
  static String classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .sorted(Comparator.comparing(entry -> !isLibrary(entry)))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static boolean isLibrary(String entry) {
    return entry.endsWith(".jar");
  }

  private static String libraries() {
    return Arrays.stream(classPath().split(File.pathSeparator))
        .filter(LibraryArchive::isLibrary)
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static List<String> flagsOnce() {
    Path folder = Path.of("target").toAbsolutePath();
    String id = Integer.toHexString((libraries() + Runtime.version()).hashCode());
    Path archive = folder.resolve("libraries-" + id + ".jsa");
    try (FileChannel channel =
        FileChannel.open(
            Files.createDirectories(folder).resolve("libraries.lock"),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE)) {
      // Holds the lock until the file is closed: other test processes wait for the archive.
      channel.lock();
      if (!Files.exists(archive)) {
        Path work = Files.createTempDirectory(folder, "libraries-");
        try {
          make(archive, work);
        } finally {
          FileTrees.delete(work);
        }
      }
    } catch (IOException e) {
      System.out.println("no archive of classes: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return Files.exists(archive)
        ? List.of("-Xshare:auto", "-XX:SharedArchiveFile=" + archive, "-Xlog:cds=off")
        : List.of();
  }

  private static void make(Path archive, Path folder) throws IOException, InterruptedException {
    Path loaded = folder.resolve("loaded");
    listLoaded(loaded, folder);
    Path listed = folder.resolve("listed");
    Files.write(listed, Files.readAllLines(loaded).stream().filter(line -> !isOwn(line)).toList());
    Path made = folder.resolve("made");
    java(
        "-Xshare:dump",
        "-XX:SharedClassListFile=" + listed,
        "-XX:SharedArchiveFile=" + made,
        "-cp",
        libraries());
    Files.move(made, archive);
  }

  private static boolean isOwn(String line) {
    return line.contains(OWN_CLASSES);
  }

  /** Starts a node that forms a single-node cluster, and ends it. */
  private static void listLoaded(Path loaded, Path folder)
      throws IOException, InterruptedException {
    int port = Ports.free(1).get(0);
    Process node =
        started(
            "-XX:DumpLoadedClassList=" + loaded,
            "-XX:TieredStopAtLevel=1",
            "-Duser.home=" + folder,
            "-cp",
            classPath(),
            Serve.class.getName(),
            "--data",
            folder.resolve("data").toString(),
            "--port",
            "0",
            "--http-port",
            "0",
            "--node",
            "n0",
            "--cluster-port",
            "" + port,
            "--join",
            "127.0.0.1:" + port,
            "--form-with",
            "1");
    try (BufferedReader output = node.inputReader()) {
      String line;
      while ((line = output.readLine()) != null) {
        if (line.startsWith("Stablecut is ready")) {
          // The process is ended from outside, as one that ends itself would close its output at
          // once.
          node.toHandle().destroy();
        }
      }
      node.waitFor();
    } finally {
      node.destroyForcibly();
    }
  }

  private static void java(String... args) throws IOException, InterruptedException {
    Process process = started(args);
    try (BufferedReader output = process.inputReader()) {
      output.lines().forEach(line -> {});
    }
    if (process.waitFor() != 0) {
      throw new IOException("java has ended with " + process.exitValue());
    }
  }

  private static Process started(String... args) throws IOException {
    List<String> command =
        Stream.of(
                Stream.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()),
                JvmFlags.all().stream(),
                Stream.of(args))
            .flatMap(part -> part)
            .toList();
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }
}
