package io.github.stablecut.journal;

import io.github.stablecut.error.MissingLibrariesException;
import java.util.ArrayList;
import java.util.List;

/** The JVM flags that Chronicle Queue requires, because it uses internals of the JDK. */
public final class JvmFlags {
  private static final int FIRST_JDK_THAT_WARNS = 24;

  private static final String CHRONICLE = "net/openhft/chronicle/queue/ChronicleQueue.class";

  private JvmFlags() {}

  /**
   * Checks the flags of this JVM, and that Chronicle Queue is on the class path; touches no file.
   *
   * @throws MissingLibrariesException if the program contains only the client for servers
   * @throws MissingJvmFlagsException if a required flag is missing
   */
  public static void check() {
    if (JvmFlags.class.getClassLoader().getResource(CHRONICLE) == null) {
      throw new MissingLibrariesException(
          "no store can be opened in this process, because Chronicle Queue is not on its class"
              + " path, as in a program that has stablecut-client only: add stablecut-core, or use"
              + " Stablecut.connect");
    }
    Module base = Object.class.getModule();
    Module ours = JvmFlags.class.getModule();
    if (!base.isOpen("java.lang.reflect", ours) || !base.isOpen("sun.nio.ch", ours)) {
      throw new MissingJvmFlagsException(
          "the JVM was started without access to java.lang.reflect and sun.nio.ch, which Chronicle"
              + " Queue needs: add to its command line (or to JDK_JAVA_OPTIONS) "
              + String.join(" ", all()));
    }
  }

  /** The flags for this version of the JDK, including those that only prevent warnings. */
  public static List<String> all() {
    List<String> flags = new ArrayList<>();
    flags.add("--add-opens=java.base/java.lang.reflect=ALL-UNNAMED");
    flags.add("--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");
    flags.add("--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED");
    if (Runtime.version().feature() >= FIRST_JDK_THAT_WARNS) {
      flags.add("--enable-native-access=ALL-UNNAMED");
      flags.add("--sun-misc-unsafe-memory-access=allow");
    }
    return List.copyOf(flags);
  }
}
