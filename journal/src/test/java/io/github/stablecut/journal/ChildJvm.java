package io.github.stablecut.journal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A JVM with this one's class path, for tests that kill or trace a process. */
final class ChildJvm {
  private ChildJvm() {}

  /** The command that runs a main class in a JVM whose journals have a layout. */
  static List<String> command(SegmentLayout layout, Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (layout == SegmentLayout.CHRONICLE) {
      command.addAll(JvmFlags.all());
    }
    command.add("-Xmx256m");
    command.addAll(classPath());
    command.add(main.getName());
    command.addAll(Arrays.asList(arguments));
    return command;
  }

  static List<String> classPath() {
    return List.of("-cp", System.getProperty("java.class.path"));
  }

  static Process start(List<String> command) throws IOException {
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  static BufferedReader outputOf(Process process) {
    return new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
  }

  /** Runs a command and returns its output, including errors. */
  static String run(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    return output + "exit code " + process.onExit().join().exitValue();
  }

  static boolean isInstalled(String program) {
    return Arrays.stream(System.getenv("PATH").split(":", -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }
}
