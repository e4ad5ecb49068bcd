package io.github.stablecut.file;

import java.lang.reflect.InvocationTargetException;

/** Tells whether native code may be called without a warning of the JVM. */
public final class NativeAccess {
  private static final int FIRST_JDK_THAT_WARNS = 24;

  private NativeAccess() {}

  /**
   * Whether classes of the class path may load native libraries silently. JDK 24 and later print a
   * warning without the flag {@code --enable-native-access=ALL-UNNAMED}.
   */
  public static boolean isSilent() {
    return Runtime.version().feature() < FIRST_JDK_THAT_WARNS || isEnabled();
  }

  private static boolean isEnabled() {
    Module unnamed = ClassLoader.getSystemClassLoader().getUnnamedModule();
    try {
      // A method since Java 22.
      return (boolean) Module.class.getMethod("isNativeAccessEnabled").invoke(unnamed);
    } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
      return false;
    }
  }
}
