package io.github.stablecut.crdt;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.codec.CrdtCodec;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The pages of one state in memory. With the default sizes, even a map of one entry is in pages,
 * and values of a few bytes are in pages of their own, so that small states behave like large ones.
 * Immutable except for its counters.
 *
 * @param <S> state
 */
public final class MemoryPages<S> implements Pages {
  private static final Sizes SMALL = new Sizes(1, 12);

  private final Sizes sizes;
  private final Map<Integer, byte[]> pages;
  private final Map<Integer, List<Integer>> references;
  private final byte[] root;
  private final int next;
  private final Set<Integer> read = new HashSet<>();
  private int steps;
  private long copiedBytes;

  /** As a cache keeps them. */
  private final List<Page<?>> inMemory = new ArrayList<>();

  /** {@link PageWriter#minEntries} and {@link PageWriter#maxInlineBytes}. */
  public record Sizes(int minEntries, int maxInlineBytes) {}

  private MemoryPages(
      Sizes sizes,
      Map<Integer, byte[]> pages,
      Map<Integer, List<Integer>> references,
      byte[] root,
      int next) {
    this.sizes = sizes;
    this.pages = pages;
    this.references = references;
    this.root = root;
    this.next = next;
  }

  /** The pages of a state that is in none yet. */
  public static <S> MemoryPages<S> of(CrdtType<S, ?, ?, ?> type, S state) {
    return of(type, state, SMALL);
  }

  /** The pages of a state that is in none yet. */
  public static <S> MemoryPages<S> of(CrdtType<S, ?, ?, ?> type, S state, Sizes sizes) {
    return new MemoryPages<S>(sizes, Map.of(), Map.of(), new byte[0], 1).replacedBy(type, state);
  }

  /** The pages of a state that was derived from the one in these pages. */
  public MemoryPages<S> replacedBy(CrdtType<S, ?, ?, ?> type, S state) {
    Writer writer = new Writer();
    byte[] newRoot = CrdtCodec.encodeState(type, state, writer);
    Map<Integer, byte[]> kept = new HashMap<>();
    Map<Integer, List<Integer>> keptReferences = new HashMap<>();
    Deque<Integer> left = new ArrayDeque<>(writer.stack.getFirst());
    while (!left.isEmpty()) {
      int page = left.pop();
      boolean isKept = writer.kept.contains(page) || !writer.written.containsKey(page);
      byte[] bytes = isKept ? pages.get(page) : writer.written.get(page);
      List<Integer> children = isKept ? references.get(page) : writer.writtenReferences.get(page);
      if (kept.put(page, Objects.requireNonNull(bytes)) != null) {
        throw new AssertionError("page " + page + " is referred to twice");
      }
      keptReferences.put(page, Objects.requireNonNull(children));
      left.addAll(children);
    }
    return new MemoryPages<>(sizes, kept, keptReferences, newRoot, writer.number);
  }

  /** The state, whose pages are read on demand. */
  public S state(CrdtType<S, ?, ?, ?> type) {
    return CrdtCodec.decodeState(type, root, this);
  }

  /** These pages, with other bytes of one of them. */
  public MemoryPages<S> with(int page, byte[] bytes) {
    Map<Integer, byte[]> changed = new HashMap<>(pages);
    changed.put(page, bytes);
    return new MemoryPages<>(sizes, changed, references, root, next);
  }

  public List<Integer> numbers() {
    return List.copyOf(pages.keySet());
  }

  public byte[] bytesOf(int page) {
    return Objects.requireNonNull(pages.get(page));
  }

  /** The size of the largest page, including that of the object. */
  public int maxBytes() {
    return pages.values().stream().mapToInt(page -> page.length).reduce(root.length, Math::max);
  }

  /** The number of pages read since the last call; each counts once. */
  @CanIgnoreReturnValue
  public int reads() {
    int count = read.size();
    read.clear();
    return count;
  }

  /** The number of page visits since the last call. */
  @CanIgnoreReturnValue
  public int steps() {
    int count = steps;
    steps = 0;
    return count;
  }

  /** The bytes of pages of which changed copies were made since the last call. */
  long copiedBytes() {
    long bytes = copiedBytes;
    copiedBytes = 0;
    return bytes;
  }

  /** The number of pages decoded since they were last dropped. */
  public int decoded() {
    return inMemory.size();
  }

  /** Drops the decoded pages. */
  public void drop() {
    inMemory.clear();
  }

  /** The number of pages that differ from another's. */
  public int differencesFrom(MemoryPages<S> others) {
    return (int)
        pages.entrySet().stream()
            .filter(page -> others.pages.get(page.getKey()) != page.getValue())
            .count();
  }

  /** The bytes of those pages that others lack, or have with other content. */
  public long bytesChangedIn(MemoryPages<S> others) {
    return pages.entrySet().stream()
        .filter(page -> others.pages.get(page.getKey()) != page.getValue())
        .mapToLong(page -> page.getValue().length)
        .sum();
  }

  @Override
  public <T> Page<T> read(int page, Function<Decoder, T> decoding) {
    byte[] bytes = pages.get(page);
    if (bytes == null) {
      throw new FormatException("page " + page + " is missing");
    }
    T content = CrdtCodec.decodePage(bytes, this, decoding);
    Page<T> found =
        new Page<>() {
          private final Reference<T> reference =
              new WeakReference<>(content) {
                @Override
                public @Nullable T get() {
                  read.add(page);
                  steps++;
                  return super.get();
                }
              };

          @Override
          public T content() {
            read.add(page);
            steps++;
            return content;
          }

          @Override
          public Reference<T> reference() {
            return reference;
          }

          @Override
          public int bytes() {
            return bytes.length;
          }
        };
    inMemory.add(found);
    return found;
  }

  @Override
  public void copied(int bytes) {
    copiedBytes += bytes;
  }

  /** A line with the bytes of the object's page, and one with number and bytes of each other. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("root " + HexFormat.of().formatHex(root) + "\n");
    new TreeMap<>(pages)
        .forEach(
            (page, bytes) ->
                text.append(page).append(' ').append(HexFormat.of().formatHex(bytes)).append('\n'));
    return text.toString();
  }

  /** Writes the pages that replace these. */
  private final class Writer implements PageWriter {
    private final Map<Integer, byte[]> written = new HashMap<>();
    private final Map<Integer, List<Integer>> writtenReferences = new HashMap<>();
    private final Set<Integer> kept = new HashSet<>();
    private final Deque<List<Integer>> stack = new ArrayDeque<>();
    private int number = next;

    Writer() {
      stack.push(new ArrayList<>());
    }

    @Override
    public int minEntries() {
      return sizes.minEntries;
    }

    @Override
    public int maxInlineBytes() {
      return sizes.maxInlineBytes;
    }

    @Override
    public boolean isFrom(Pages others) {
      return others == MemoryPages.this;
    }

    @Override
    public void keep(int page) {
      kept.add(page);
      stack.element().add(page);
    }

    @Override
    public int write(int page, Consumer<Encoder> content) {
      stack.push(new ArrayList<>());
      byte[] bytes = CrdtCodec.encodePage(content, this);
      return put(page == 0 || next == 1 ? number++ : page, bytes, stack.pop());
    }

    @Override
    public Placement writeIfLarge(Consumer<Encoder> content) {
      stack.push(new ArrayList<>());
      byte[] bytes = CrdtCodec.encodePage(content, this);
      List<Integer> references = stack.pop();
      if (bytes.length > sizes.maxInlineBytes) {
        return Placement.inPage(put(number++, bytes, references));
      }
      stack.element().addAll(references);
      return Placement.inline(bytes);
    }

    private int put(int page, byte[] bytes, List<Integer> references) {
      if (written.put(page, bytes) != null) {
        throw new AssertionError("page " + page + " is written twice");
      }
      writtenReferences.put(page, references);
      stack.element().add(page);
      return page;
    }
  }
}
