package io.github.stablecut;

import io.github.stablecut.journal.JvmFlags;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts main classes of this class path in another JVM. */
public final class ChildJvm {
  private ChildJvm() {}

  /** Starts a process with the flags that Chronicle needs. It inherits our standard error. */
  public static Process start(Class<?> main, String... args) throws IOException {
    List<String> flags = new ArrayList<>(JvmFlags.all());
    flags.add("-Xmx256m");
    flags.add("-XX:TieredStopAtLevel=1");
    return builder(flags, main, args).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** A builder of a process with exactly these flags. */
  static ProcessBuilder builder(List<String> flags, Class<?> main, String... args) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(List.of(args));
    return new ProcessBuilder(command);
  }

  /** Whether a program exists and a command of it succeeds. */
  static boolean canRun(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** The lines of a process's output until its end, or until there are {@code enough}. */
  public static List<String> lines(Process process, int enough) throws IOException {
    List<String> lines = new ArrayList<>();
    BufferedReader output = process.inputReader();
    String line;
    while (lines.size() < enough && (line = output.readLine()) != null) {
      lines.add(line);
    }
    return lines;
  }
}
