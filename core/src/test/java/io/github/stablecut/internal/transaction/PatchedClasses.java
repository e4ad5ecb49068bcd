package io.github.stablecut.internal.transaction;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * The classes of the store and its tests, loaded a second time, with some source files patched. So
 * a test can remove a rule from the code, and no class of the store has a switch for it.
 */
final class PatchedClasses extends ClassLoader {
  private static final String STORE = "io.github.stablecut.";

  private final Path patched;

  private PatchedClasses(Path patched) {
    super(PatchedClasses.class.getClassLoader());
    this.patched = patched;
    setDefaultAssertionStatus(true);
  }

  /**
   * Compiles the patched files.
   *
   * @param directory for the classes
   */
  static PatchedClasses of(List<SourcePatch> patches, Path directory) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    List<String> options =
        List.of(
            "-d",
            directory.toString(),
            "-cp",
            System.getProperty("java.class.path"),
            "-proc:none",
            "-nowarn",
            "-parameters");
    List<Source> sources = patches.stream().map(Source::new).toList();
    if (!compiler.getTask(messages, null, null, options, null, sources).call()) {
      throw new IllegalStateException("%s: %s".formatted(patches, messages));
    }
    return new PatchedClasses(directory);
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(SourcePatch patch) {
      super(URI.create("string:///" + patch.file().getFileName()), JavaFileObject.Kind.SOURCE);
      this.text = patch.patched();
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(STORE)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? findClass(name) : loaded;
    }
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    String file = name.replace('.', '/') + ".class";
    try {
      byte[] bytes = Files.exists(patched.resolve(file)) ? patchedBytes(file) : ownBytes(file);
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private byte[] patchedBytes(String file) throws IOException {
    return Files.readAllBytes(patched.resolve(file));
  }

  private byte[] ownBytes(String file) throws IOException, ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(file)) {
      if (in == null) {
        throw new ClassNotFoundException(file);
      }
      return in.readAllBytes();
    }
  }
}
