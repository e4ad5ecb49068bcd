package io.github.stablecut.crdt.sequence;

import io.github.stablecut.crdt.RgaSpecification;
import io.github.stablecut.crdt.sequence.Rga.Operation;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** A text of characters of one to four bytes in UTF-8, some of them two in Java. */
class RgaTextProperties extends RgaSpecification<String, Text> {
  @Override
  public RgaText type() {
    return RgaText.TYPE;
  }

  @Override
  public Arbitrary<String> contents() {
    return Arbitraries.of("", "a", "b", "cd", "é", "x😀y", "漢字");
  }

  @Override
  public List<Operation<String>> sample() {
    return List.of(
        RgaText.insert(0, "abc"),
        RgaText.insert(1, "😀"),
        Rga.delete(2, 2),
        Rga.reset(),
        RgaText.insert(0, "漢"));
  }

  @Override
  public List<String> split(String sequence) {
    return sequence.codePoints().mapToObj(Character::toString).toList();
  }

  @Override
  public Text join(List<String> elements) {
    return Text.of(String.join("", elements));
  }

  @Override
  public int size(Text value) {
    return value.codePointCount();
  }

  @Override
  public int maxElementBytes() {
    return 4;
  }
}
