package io.github.stablecut.crdt;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.internal.state.HeldAs;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The catalogue of types is complete: each type is registered under its own number, and has a
 * specification, golden files and a documentation page.
 */
class CatalogueTest {
  private static final Path PAGES = Path.of("..", "docs", "crdts");
  private static final Path FORMATS = Path.of("src", "test", "resources", "format");
  private static final HexFormat HEX = HexFormat.of();

  static List<CrdtType<?, ?, ?, ?>> types() {
    return CrdtTypes.all();
  }

  @Test
  void typesAreRegisteredUnderDifferentNumbers() {
    Set<Integer> numbers = types().stream().map(CrdtType::typeId).collect(toSet());

    assertThat(numbers).hasSameSizeAs(types());
    assertThat(types())
        .allSatisfy(type -> assertThat(CrdtTypes.byId(type.typeId())).contains(type));
    assertThat(CrdtTypes.byId(0)).isEmpty();
    assertThat(CrdtTypes.byId(1L << 32 | 1)).isEmpty();
  }

  /** Types of other types, which no key has. */
  private static final Set<Class<?>> WRAPPERS =
      Set.of(SeveralTypes.class, HeldAs.class, Resettable.class);

  @Test
  void everyPublicTypeIsRegistered() throws IOException, URISyntaxException {
    Set<Class<?>> registered = types().stream().map(Object::getClass).collect(toSet());

    assertThat(implementations()).isNotEmpty().allMatch(registered::contains);
  }

  /** The public classes of this package and those below it, excluding tests, that are types. */
  private static List<Class<?>> implementations() throws IOException, URISyntaxException {
    Path root = Path.of(CrdtType.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (Stream<Path> files =
        Files.walk(root.resolve(CrdtType.class.getPackageName().replace('.', '/')))) {
      return files
          .map(file -> root.relativize(file).toString())
          .filter(name -> name.endsWith(".class") && !name.endsWith("-info.class"))
          .<Class<?>>map(name -> load(name.replace(".class", "").replace('/', '.')))
          .filter(CrdtType.class::isAssignableFrom)
          .filter(type -> !Modifier.isAbstract(type.getModifiers()))
          .filter(type -> Modifier.isPublic(type.getModifiers()))
          .filter(type -> !WRAPPERS.contains(type))
          .toList();
    }
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new LinkageError(name, e);
    }
  }

  @ParameterizedTest
  @MethodSource("types")
  void hasASpecification(CrdtType<?, ?, ?, ?> type) {
    assertThat(Specification.of(type, 0).type()).isEqualTo(type);
  }

  @ParameterizedTest
  @MethodSource("types")
  void hasAPageOfDocumentation(CrdtType<?, ?, ?, ?> type) throws IOException {
    String page = kebab(type.getClass().getSimpleName().replace("Rga", "")) + ".md";

    assertThat(PAGES.resolve(page))
        .content()
        .contains("## Operations", "## Concurrent operations", "## Space", "## Source");
    assertThat(PAGES.resolve("README.md")).content().contains("(" + page + ")");
  }

  private static String kebab(String name) {
    return name.replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
  }

  /** To create the file of a new type, copy the lines that this test reports as missing. */
  @ParameterizedTest
  @MethodSource("types")
  void writesStableBytes(CrdtType<?, ?, ?, ?> type) throws IOException {
    String written = sample(Places.untyped(Specification.of(type, 0)));
    Path file = newest(type);

    assertThat(file).as("golden file of %s: %s", type.name(), written).exists();
    assertThat(file).content().isEqualTo(written);
  }

  /**
   * The bytes of the newest version of a type's format: each version has a folder for its changes.
   */
  private static Path newest(CrdtType<?, ?, ?, ?> type) throws IOException {
    String name = "%02d.txt".formatted(type.typeId());
    try (Stream<Path> versions = Files.list(FORMATS)) {
      return versions
          .sorted(Comparator.reverseOrder())
          .map(version -> version.resolve(name))
          .filter(Files::exists)
          .findFirst()
          .orElse(FORMATS.resolve("1").resolve(name));
    }
  }

  /**
   * The histories of the harness apply encoded effects; a store applies effects that it has just
   * made.
   */
  @ParameterizedTest
  @MethodSource("types")
  void appliesAnEffectAsItAppliesItsBytes(CrdtType<?, ?, ?, ?> type) {
    assertAppliesBytesAlike(Places.untyped(Specification.of(type, 0)));
  }

  private static void assertAppliesBytesAlike(
      Specification<Object, Object, Object, Object> specification) {
    CrdtType<Object, Object, Object, Object> type = specification.type();
    Object state = type.initial();
    long time = 0;
    for (Object operation : specification.sample()) {
      OperationContext context = new OperationContext(0, VectorClock.of(time), new SelfDots());
      Object effect = type.downstream(operation, state, context);
      Object decoded = CrdtCodec.decodeEffect(type, CrdtCodec.encodeEffect(type, effect));
      EffectOrigin origin = new EffectOrigin(0, ++time, VectorClock.ZERO);
      Object next = type.apply(state, effect, origin);
      assertThat(next).isEqualTo(type.apply(state, decoded, origin));
      state = next;
    }
  }

  /** The effects of sample operations, the last of which is executed twice concurrently. */
  private static String sample(Specification<Object, Object, Object, Object> specification) {
    var trio = new ThreeDataCentres<>(specification.type());
    List<Object> operations = specification.sample();
    for (int i = 0; i < operations.size() - 1; i++) {
      trio.at(0, operations.get(i));
      if (i == operations.size() / 2) {
        trio.meet();
        trio.prune(0);
      }
    }
    trio.receive(1, 0);
    Object last = operations.get(operations.size() - 1);
    trio.at(0, last);
    trio.at(1, last);
    trio.receive(0, 1);
    byte[] state = CrdtCodec.encodeState(specification.type(), trio.state(0));
    return Stream.concat(trio.effects(0), trio.effects(1))
            .map(effect -> "effect " + HEX.formatHex(effect) + "\n")
            .collect(joining("", specification.type().name() + "\n", ""))
        + ("state " + HEX.formatHex(state) + "\n");
  }

  @ParameterizedTest
  @MethodSource("types")
  void readsTheBytesOfAllVersions(CrdtType<?, ?, ?, ?> type) throws IOException {
    try (Stream<Path> versions = Files.list(FORMATS)) {
      String name = "%02d.txt".formatted(type.typeId());
      for (Path file : versions.map(version -> version.resolve(name)).toList()) {
        if (!Files.exists(file)) {
          continue;
        }
        for (String line : Files.readAllLines(file)) {
          if (line.startsWith("effect ")) {
            assertThat(recodeEffect(type, HEX.parseHex(line.substring(7)))).isNotEmpty();
          } else if (line.startsWith("state ")) {
            assertThat(recodeState(type, HEX.parseHex(line.substring(6)))).isNotEmpty();
          }
        }
      }
    }
  }

  private static <E> byte[] recodeEffect(CrdtType<?, ?, E, ?> type, byte[] bytes) {
    return CrdtCodec.encodeEffect(type, CrdtCodec.decodeEffect(type, bytes));
  }

  private static <S> byte[] recodeState(CrdtType<S, ?, ?, ?> type, byte[] bytes) {
    return CrdtCodec.encodeState(type, CrdtCodec.decodeState(type, bytes));
  }
}
