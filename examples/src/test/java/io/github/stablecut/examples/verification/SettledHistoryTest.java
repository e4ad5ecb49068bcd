package io.github.stablecut.examples.verification;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Reads of what the same transaction has appended to are removed, and nothing else. */
final class SettledHistoryTest {
  private static void assertSettled(String line, String settled) throws IOException {
    assertThat(SettledHistory.line(line.replace('\'', '"'))).isEqualTo(settled.replace('\'', '"'));
  }

  @Test
  void removesReadsAfterAppendsToTheSameList() throws IOException {
    assertSettled(
        "{'type':'ok','value':[['r',1,[]],['append',1,3],['r',2,[4]],['r',1,[3]],['append',1,5]]}",
        "{'type':'ok','value':[['r',1,[]],['append',1,3],['r',2,[4]],['append',1,5]]}");
  }

  @Test
  void keepsOtherLines() throws IOException {
    for (String line :
        new String[] {
          "{'type':'fail','value':[['append',1,3]]}",
          "{'type':'info','process':'nemesis','value':{'cmd':'x','ok':true}}"
        }) {
      assertSettled(line, line);
    }
  }
}
