package dev.tidemark.retention.cli.events;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class MessageHashTest {

  private static final byte[] FRAME = "{\"n\":1}".getBytes(StandardCharsets.UTF_8);

  @Test
  void isTheStartOfTheSha256OfNameRowAndMessage() throws Exception {
    byte[] whole =
        MessageDigest.getInstance("SHA-256")
            .digest(
                String.join("\0", "caf\u00e9", "17", "{\"n\":1}").getBytes(StandardCharsets.UTF_8));

    assertThat(MessageHash.of("caf\u00e9", 17, FRAME))
        .hasSize(MessageHash.LENGTH)
        .isEqualTo(Arrays.copyOf(whole, 16));
  }

  @Test
  void staysTheSameOverReleases() {
    assertThat(HexFormat.of().formatHex(MessageHash.of("a", 1, FRAME)))
        .isEqualTo("b5e40099f730434aca60ede0971337e2");
  }

  @Test
  void theSameRowTwiceIsTwoMessages() {
    assertThat(MessageHash.of("a", 1, FRAME)).isNotEqualTo(MessageHash.of("a", 2, FRAME));
    assertThat(MessageHash.of("a", 1, FRAME)).isNotEqualTo(MessageHash.of("b", 1, FRAME));
    assertThat(MessageHash.of("a", 1, FRAME)).isEqualTo(MessageHash.of("a", 1, FRAME.clone()));
  }

  @Test
  void aDigitAtTheEndOfTheNameIsNotOneOfTheRow() {
    assertThat(MessageHash.of("a1", 2, FRAME)).isNotEqualTo(MessageHash.of("a", 12, FRAME));
  }
}
