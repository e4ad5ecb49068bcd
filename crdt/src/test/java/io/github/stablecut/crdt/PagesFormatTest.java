package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.crdt.sequence.Rga;
import io.github.stablecut.crdt.sequence.RgaList;
import io.github.stablecut.crdt.set.RemoveWinsSet;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Pages of earlier versions are readable. */
class PagesFormatTest {
  private static final Path FILES = Path.of("src", "test", "resources", "format", "pages");
  private static final RecursiveResetMap TYPE = RecursiveResetMap.TYPE;

  /**
   * The first version, with at least two entries in a map in pages of its own: all values are with
   * their keys, and references to list nodes lack the number of bytes below.
   */
  @Test
  void readsTheFirstVersion() throws IOException {
    assertThat(read("1.txt")).isEqualTo(sample());
  }

  /** Values of more than 20 bytes are in pages of their own. */
  @Test
  void writesTheNewestVersion() throws IOException {
    MemoryPages<RecursiveResetMap.State> pages =
        MemoryPages.of(TYPE, sample(), new MemoryPages.Sizes(2, 20));

    assertThat(FILES.resolve("2.txt")).content().isEqualTo(pages.toString());
    assertThat(read("2.txt")).isEqualTo(sample());
  }

  private static RecursiveResetMap.State read(String name) throws IOException {
    Map<String, byte[]> pages = new HashMap<>();
    for (String line : Files.readAllLines(FILES.resolve(name))) {
      String[] parts = line.split(" ", 2);
      pages.put(parts[0], HexFormat.of().parseHex(parts[1]));
    }
    Pages stored =
        new Pages() {
          @Override
          public <T> Page<T> read(int page, Function<Decoder, T> decoding) {
            byte[] bytes = Objects.requireNonNull(pages.get(Integer.toString(page)));
            T content = CrdtCodec.decodePage(bytes, this, decoding);
            return new Page<>() {
              @Override
              public T content() {
                return content;
              }

              @Override
              public int bytes() {
                return bytes.length;
              }

              @Override
              public Reference<T> reference() {
                return new WeakReference<>(content);
              }
            };
          }

          @Override
          public void copied(int bytes) {}
        };
    return CrdtCodec.decodeState(TYPE, Objects.requireNonNull(pages.get("root")), stored);
  }

  /** A list of several leaves, maps in a map, and an invisible entry. */
  private static RecursiveResetMap.State sample() {
    List<RecursiveResetMap.EntryOperation> parts = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      MapKey<LwwRegister.Operation, ?> register =
          new MapKey<>(Bytes.utf8("register-%02d".formatted(i)), LwwRegister.TYPE);
      Bytes value = Bytes.utf8("v".repeat(i));
      parts.add(new RecursiveResetMap.Update<>(register, new LwwRegister.Assign(value)));
      MapKey<Rga.Operation<List<Bytes>>, ?> list = new MapKey<>(Bytes.utf8("list"), RgaList.TYPE);
      parts.add(new RecursiveResetMap.Update<>(list, RgaList.insert(i / 2, List.of(value))));
      MapKey<RecursiveResetMap.Operation, ?> map = new MapKey<>(Bytes.utf8("map-" + i % 3), TYPE);
      parts.add(new RecursiveResetMap.Update<>(map, parts.get(4 * (i / 2))));
      MapKey<RemoveWinsSet.Operation, ?> set = new MapKey<>(Bytes.utf8("set"), RemoveWinsSet.TYPE);
      parts.add(
          new RecursiveResetMap.Update<>(
              set,
              i % 3 == 0
                  ? new RemoveWinsSet.Remove(List.of(value))
                  : new RemoveWinsSet.Add(List.of(value))));
    }
    RecursiveResetMap.State state = TYPE.initial();
    long time = 1_000;
    for (RecursiveResetMap.EntryOperation part : parts) {
      OperationContext context = new OperationContext(0, VectorClock.of(time), new SelfDots());
      var effect = TYPE.downstream(part, state, context);
      state = TYPE.apply(state, effect, new EffectOrigin(0, ++time, VectorClock.ZERO));
    }
    return state;
  }
}
