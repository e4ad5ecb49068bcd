package io.github.stablecut.examples;

import io.github.stablecut.journal.JvmFlags;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts and ends other JVMs with this one's class path and the flags that a store needs. */
public final class ChildJvm {
  private ChildJvm() {}

  /** Creates a builder of a process that runs a main class. */
  public static ProcessBuilder command(Class<?> main, String... args) {
    return command(main.getName(), args);
  }

  /** Creates a builder of a process that runs a main class or a source file. */
  public static ProcessBuilder command(String main, String... args) {
    return command(List.of(), main, args);
  }

  /**
   * Like {@link #command(Class, String...)}, with a maximum heap.
   *
   * @param heap as in the JVM's flag, for example {@code 512m}
   */
  public static ProcessBuilder withHeap(String heap, Class<?> main, String... args) {
    return command(List.of("-Xmx" + heap), main.getName(), args);
  }

  /**
   * Closes the input of a process that exits at the end of its input, and waits for it.
   *
   * @param input of the process
   */
  public static void end(Process process, Closeable input) {
    try {
      input.close();
      process.waitFor();
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  /**
   * The command of a JVM with other classes than this one.
   *
   * @param classPath which contains the main class
   * @param flags in addition to those that a store needs
   */
  public static List<String> withClassPath(
      String classPath, List<String> flags, Class<?> main, String... args) {
    return commandLine(classPath, flags, main.getName(), args);
  }

  private static ProcessBuilder command(List<String> flags, String main, String... args) {
    return new ProcessBuilder(
        commandLine(System.getProperty("java.class.path"), flags, main, args));
  }

  private static List<String> commandLine(
      String classPath, List<String> flags, String main, String... args) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JvmFlags.all());
    command.addAll(flags);
    command.addAll(List.of("-cp", classPath, main));
    command.addAll(List.of(args));
    return command;
  }
}
