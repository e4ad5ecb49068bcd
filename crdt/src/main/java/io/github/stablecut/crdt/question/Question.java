package io.github.stablecut.crdt.question;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.sequence.Text;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;

/**
 * A question about part of an object's value. It is itself a value: a reader sends it to the node
 * with the object and receives only the answer. Immutable.
 *
 * @param <A> the type of the answer; immutable
 */
public sealed interface Question<A>
    permits Question.Assigned,
        Question.Contains,
        Question.Count,
        Question.CountPage,
        Question.HasEntry,
        Question.InEntry,
        Question.IsSet,
        Question.Page,
        Question.Siblings,
        Question.Size,
        Question.Slice,
        Question.TextSlice,
        Question.Total,
        StreamQuestion {
  /** The maximum number of elements in a page or slice. */
  int MAX_ITEMS = 1 << 16;

  /**
   * Answers the question.
   *
   * @param value the object's value
   * @throws IllegalArgumentException if the question does not apply to such a value
   */
  A answer(Object value);

  /** The part of the object on which an answer depends. */
  Footprint footprint(A answer);

  /** Whether a transaction that certifies what it reads depends on the answer. */
  default boolean isCertified() {
    return true;
  }

  /** Writes the question. */
  void write(Encoder out);

  /** Whether the answers are numbers. */
  default boolean isNumber() {
    return form().equals(AnswerForm.NUMBER) || form().equals(AnswerForm.SIZE);
  }

  /** Whether the answers are optional values. */
  default boolean isOptional() {
    return form().equals(AnswerForm.OPTIONAL);
  }

  /** The encoding of the answers. */
  AnswerForm<A> form();

  /** Writes an answer to this question. */
  default void writeAnswer(A answer, Encoder out) {
    form().writer().accept(answer, out);
  }

  /**
   * Reads an answer to this question.
   *
   * @throws FormatException if the bytes are invalid
   */
  default A readAnswer(Decoder in) {
    return form().reader().apply(in);
  }

  /**
   * Reads a question.
   *
   * @throws FormatException if the bytes are invalid
   */
  static Question<?> read(Decoder in) {
    int kind = in.readByte();
    return switch (kind) {
      case Size.KIND -> new Size();
      case Contains.KIND -> new Contains(in.readBytes());
      case Page.KIND -> new Page(PageBounds.read(in));
      case Count.KIND -> new Count(in.readBytes());
      case CountPage.KIND -> new CountPage(PageBounds.read(in));
      case Slice.KIND -> new Slice(SliceBounds.read(in));
      case TextSlice.KIND -> new TextSlice(SliceBounds.read(in));
      case HasEntry.KIND -> new HasEntry(MapKey.read(in));
      case InEntry.KIND -> InEntry.read(in);
      case Total.KIND -> new Total();
      case IsSet.KIND -> new IsSet();
      case Assigned.KIND -> new Assigned();
      case Siblings.KIND -> new Siblings();
      default -> StreamQuestion.read(kind, in);
    };
  }

  private static <T> T cast(Class<T> type, Object value, String question) {
    if (!type.isInstance(value)) {
      throw new IllegalArgumentException(
          "%s can't be read from a value of type %s"
              .formatted(question, value.getClass().getSimpleName()));
    }
    return type.cast(value);
  }

  /** The number of elements, counters, entries or code points. */
  record Size() implements Question<Integer> {
    private static final int KIND = 0;

    @Override
    public Integer answer(Object value) {
      if (value instanceof Text text) {
        return text.codePointCount();
      }
      return value instanceof Map<?, ?> map
          ? map.size()
          : cast(Collection.class, value, "a size").size();
    }

    @Override
    public Footprint footprint(Integer answer) {
      return Footprint.whole();
    }

    @Override
    public void write(Encoder out) {
      out.writeByte(KIND);
    }

    @Override
    public AnswerForm<Integer> form() {
      return AnswerForm.SIZE;
    }
  }

  /** Asks whether a set contains an element, or a counter map a counter. */
  record Contains(Bytes element) implements Question<Boolean> {
    private static final int KIND = 1;

    @Override
    public Boolean answer(Object value) {
      return value instanceof Map<?, ?> map
          ? map.containsKey(element)
          : cast(NavigableSet.class, value, "an element").contains(element);
    }

    @Override
    public Footprint footprint(Boolean answer) {
      return Footprint.element(element);
    }

    @Override
    public void write(Encoder out) {
      out.writeByte(KIND);
      out.writeBytes(element);
    }

    @Override
    public AnswerForm<Boolean> form() {
      return AnswerForm.FLAG;
    }
  }

  /** Elements of a set, in order. */
  record Page(PageBounds bounds) implements Question<List<Bytes>> {
    private static final int KIND = 2;

    @Override
    @SuppressWarnings("unchecked") // the sets of types have bytes as elements
    public List<Bytes> answer(Object value) {
      Iterator<Bytes> elements =
          bounds.of((NavigableSet<Bytes>) cast(NavigableSet.class, value, "a page")).iterator();
      List<Bytes> page = new ArrayList<>();
      while (page.size() < bounds.limit() && elements.hasNext()) {
        page.add(elements.next());
      }
      return List.copyOf(page);
    }

    @Override
    public Footprint footprint(List<Bytes> answer) {
      return bounds.footprint(
          answer.isEmpty() ? Optional.empty() : Optional.of(answer.get(answer.size() - 1)),
          answer.size() == bounds.limit());
    }

    @Override
    public void write(Encoder out) {
      out.writeByte(KIND);
      bounds.write(out);
    }

    @Override
    public AnswerForm<List<Bytes>> form() {
      return AnswerForm.ELEMENTS;
    }
  }

  /** The sum of a counter in a counter map; 0 if absent. */
  record Count(Bytes name) implements Question<Long> {
    private static final int KIND = 3;

    @Override
    public Long answer(Object value) {
      Object count = cast(NavigableMap.class, value, "a count").get(name);
      return count == null ? 0 : (Long) count;
    }

    @Override
    public Footprint footprint(Long answer) {
      return Footprint.element(name);
    }

    @Override
    public void write(Encoder out) {
      out.writeByte(KIND);
      out.writeBytes(name);
    }

    @Override
    public AnswerForm<Long> form() {
      return AnswerForm.NUMBER;
    }
  }

  /** Counters of a counter map, in the order of their names. */
  record CountPage(PageBounds bounds) implements Question<List<Map.Entry<Bytes, Long>>> {
    private static final int KIND = 4;

    @Override
    @SuppressWarnings("unchecked") // the navigable maps of types have counters
    public List<Map.Entry<Bytes, Long>> answer(Object value) {
      Iterator<Map.Entry<Bytes, Long>> counters =
          bounds
              .of((NavigableMap<Bytes, Long>) cast(NavigableMap.class, value, "a page of counters"))
              .entrySet()
              .iterator();
      List<Map.Entry<Bytes, Long>> page = new ArrayList<>();
      while (page.size() < bounds.limit() && counters.hasNext()) {
        page.add(Map.Entry.copyOf(counters.next()));
      }
      return List.copyOf(page);
    }

    @Override
    public Footprint footprint(List<Map.Entry<Bytes, Long>> answer) {
      return bounds.footprint(
          answer.isEmpty() ? Optional.empty() : Optional.of(answer.get(answer.size() - 1).getKey()),
          answer.size() == bounds.limit());
    }

    @Override
    public void write(Encoder out) {
      out.writeByte(KIND);
      bounds.write(out);
    }

    @Override
    public AnswerForm<List<Map.Entry<Bytes, Long>>> form() {
      return AnswerForm.COUNTS;
    }
  }

  /** Elements of a list. */
  record Slice(SliceBounds bounds) implements Question<List<Bytes>> {
    private static final int KIND = 5;

    @Override
    @SuppressWarnings("unchecked") // the lists of types have bytes as elements
    public List<Bytes> answer(Object value) {
      List<Bytes> all = (List<Bytes>) cast(List.class, value, "a slice of elements");
      int size = all.size();
      return List.copyOf(all.subList(Math.min(bounds.from(), size), Math.min(bounds.to(), size)));
    }

    @Override
    public Footprint footprint(List<Bytes> answer) {
      return Footprint.whole();
    }

    @Override
    public void write(Encoder out) {
      out.writeByte(KIND);
      bounds.write(out);
    }

    @Override
    public AnswerForm<List<Bytes>> form() {
      return AnswerForm.ELEMENTS;
    }
  }

  /** Characters of a text. */
  record TextSlice(SliceBounds bounds) implements Question<String> {
    private static final int KIND = 6;

    @Override
    public String answer(Object value) {
      Text text = cast(Text.class, value, "a slice of characters");
      int size = text.codePointCount();
      return text.slice(Math.min(bounds.from(), size), Math.min(bounds.to(), size)).toString();
    }

    @Override
    public Footprint footprint(String answer) {
      return Footprint.whole();
    }

    @Override
    public void write(Encoder out) {
      out.writeByte(KIND);
      bounds.write(out);
    }

    @Override
    public AnswerForm<String> form() {
      return AnswerForm.TEXT;
    }
  }

  /** Asks whether a map contains an object. */
  record HasEntry(MapKey<?, ?> place) implements Question<Boolean> {
    private static final int KIND = 7;

    @Override
    public Boolean answer(Object value) {
      return cast(Map.class, value, "an entry").containsKey(place);
    }

    @Override
    public Footprint footprint(Boolean answer) {
      return new Footprint.Entry(place, Footprint.whole());
    }

    @Override
    public void write(Encoder out) {
      out.writeByte(KIND);
      place.write(out);
    }

    @Override
    public AnswerForm<Boolean> form() {
      return AnswerForm.FLAG;
    }
  }

  /** A question about an object in a map; an absent object counts as a new one. */
  record InEntry<A>(MapKey<?, ?> place, Question<A> question) implements Question<A> {
    private static final int KIND = 8;

    @Override
    @SuppressWarnings("unchecked") // the values of maps
    public A answer(Object value) {
      Map<MapKey<?, ?>, Object> map =
          (Map<MapKey<?, ?>, Object>) cast(Map.class, value, "an entry");
      return question.answer(place.valueIn(map));
    }

    @Override
    public Footprint footprint(A answer) {
      return new Footprint.Entry(place, question.footprint(answer));
    }

    @Override
    public void write(Encoder out) {
      out.writeByte(KIND);
      place.write(out);
      out.enter();
      question.write(out);
      out.exit();
    }

    private static InEntry<?> read(Decoder in) {
      MapKey<?, ?> place = MapKey.read(in);
      in.enter();
      Question<?> question = Question.read(in);
      in.exit();
      return new InEntry<>(place, question);
    }

    @Override
    public AnswerForm<A> form() {
      return question.form();
    }
  }

  /** The value of a counter. */
  record Total() implements Question<Long> {
    private static final int KIND = 9;

    @Override
    public Long answer(Object value) {
      return cast(Long.class, value, "a total");
    }

    @Override
    public Footprint footprint(Long answer) {
      return Footprint.whole();
    }

    @Override
    public void write(Encoder out) {
      out.writeByte(KIND);
    }

    @Override
    public AnswerForm<Long> form() {
      return AnswerForm.NUMBER;
    }
  }

  /** Asks whether a flag is set. */
  record IsSet() implements Question<Boolean> {
    private static final int KIND = 10;

    @Override
    public Boolean answer(Object value) {
      return cast(Boolean.class, value, "a flag");
    }

    @Override
    public Footprint footprint(Boolean answer) {
      return Footprint.whole();
    }

    @Override
    public void write(Encoder out) {
      out.writeByte(KIND);
    }

    @Override
    public AnswerForm<Boolean> form() {
      return AnswerForm.FLAG;
    }
  }

  /** The value of a register; empty if it has none. */
  record Assigned() implements Question<Optional<Bytes>> {
    private static final int KIND = 11;

    @Override
    @SuppressWarnings("unchecked") // the optional values of types are bytes
    public Optional<Bytes> answer(Object value) {
      return (Optional<Bytes>) cast(Optional.class, value, "an assigned value");
    }

    @Override
    public Footprint footprint(Optional<Bytes> answer) {
      return Footprint.whole();
    }

    @Override
    public void write(Encoder out) {
      out.writeByte(KIND);
    }

    @Override
    public AnswerForm<Optional<Bytes>> form() {
      return AnswerForm.OPTIONAL;
    }
  }

  /** The concurrently assigned values of a register, in order. */
  record Siblings() implements Question<List<Bytes>> {
    private static final int KIND = 12;

    @Override
    @SuppressWarnings("unchecked") // the lists of types have bytes as elements
    public List<Bytes> answer(Object value) {
      return List.copyOf((List<Bytes>) cast(List.class, value, "concurrent values"));
    }

    @Override
    public Footprint footprint(List<Bytes> answer) {
      return Footprint.whole();
    }

    @Override
    public void write(Encoder out) {
      out.writeByte(KIND);
    }

    @Override
    public AnswerForm<List<Bytes>> form() {
      return AnswerForm.ELEMENTS;
    }
  }
}
