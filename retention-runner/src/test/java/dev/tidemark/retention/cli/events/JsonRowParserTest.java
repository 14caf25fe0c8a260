package dev.tidemark.retention.cli.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class JsonRowParserTest {

  private final JsonRowParser parser = new JsonRowParser(new EventFields("p", "t"));

  private JsonRow parse(String text) throws JsonSyntaxException, RefusedRowException {
    return parser.parse(text, new Position(1, 1));
  }

  @Test
  void numbersKeepEveryDigitOfTheirText() throws Exception {
    String row =
        "{\"a\":1.10,\"b\":12345678901234567890,\"c\":-0,\"d\":1E+400,\"e\":0.000000000000000000001}";

    assertThat(parse(row).json()).isEqualTo(row);
    String digits = "{\"a\":" + "7".repeat(5_000) + "}";
    assertThat(parse(digits).json()).isEqualTo(digits);
  }

  @Test
  void fieldsKeepTheirOrderAndBlanksBetweenTokensGo() throws Exception {
    assertThat(
            parse(
                    "{ \"z\" : [ 1 , [ ] , { } , null ] ,\t\"a\" : { \"y\" : true , \"b\" : false } }")
                .json())
        .isEqualTo("{\"z\":[1,[],{},null],\"a\":{\"y\":true,\"b\":false}}");
  }

  @Test
  void stringsKeepTheirCharactersAndEscapeWhatTheyMust() throws Exception {
    assertThat(
            parse("{\"\\u00e9\":\"caf\u00e9 \uD83D\uDE00 \\ud83d\\ude00 \\/ \\b\\u007f\\u2028\"}")
                .json())
        .isEqualTo("{\"\u00e9\":\"caf\u00e9 \uD83D\uDE00 \uD83D\uDE00 / \\u0008\u007f\u2028\"}");
    assertThat(parse("{\"a\":\"\\u0022\\\\\\n\\r\\t\\u0000\"}").json())
        .isEqualTo("{\"a\":\"\\\"\\\\\\n\\r\\t\\u0000\"}");
  }

  @Test
  void loneSurrogatesInStringsStayEscapes() throws Exception {
    String row = "{\"a\":\"\\ud800x\\udfff\\ud800\"}";

    assertThat(parse(row).json()).isEqualTo(row);
  }

  @Test
  void loneSurrogatesInFieldNamesRefuseTheRow() {
    for (String name : new String[] {"\\ud800", "x\\udc00", "\\ud83d\\ud83d\\ude00"}) {
      assertThatThrownBy(() -> parse("{\"" + name + "\":1}"))
          .as(name)
          .isInstanceOf(RefusedRowException.class)
          .hasMessage("a field name holds half a surrogate pair, which UTF-8 cannot");
    }
  }

  @Test
  void theTwoWantedFieldsAreReadFromTheTopLevelOnly() throws Exception {
    JsonRow row = parse("{\"x\":{\"p\":\"no\"},\"p\":\"yes\",\"y\":[{\"t\":1}],\"t\":1.50}");

    assertThat(row.partition()).isEqualTo(FieldValue.string("yes"));
    assertThat(row.time()).isEqualTo(FieldValue.number("1.50"));
    assertThat(parse("{}").partition()).isEqualTo(FieldValue.MISSING);
    assertThat(parse("{\"p\":null,\"t\":[1]}").partition()).isEqualTo(FieldValue.NULL);
    assertThat(parse("{\"p\":true,\"t\":{}}").partition()).isEqualTo(FieldValue.bool("true"));
    assertThat(parse("{\"p\":true,\"t\":{}}").time()).isEqualTo(FieldValue.NESTED);
  }

  @Test
  void aFieldTwiceInOneObjectIsRefusedAtAnyDepth() {
    assertThatThrownBy(() -> parse("{\"a\":1,\"b\":2,\"\\u0061\":3}"))
        .isInstanceOf(RefusedRowException.class)
        .hasMessage("field \"a\" occurs twice in one object");
    assertThatThrownBy(() -> parse("{\"x\":[{\"y\":1,\"y\":1}]}"))
        .isInstanceOf(RefusedRowException.class)
        .hasMessage("field \"y\" occurs twice in one object");
  }

  @Test
  void theSameFieldInTwoObjectsIsFine() throws Exception {
    String row = "{\"a\":{\"a\":1},\"b\":[{\"a\":1},{\"a\":2}]}";

    assertThat(parse(row).json()).isEqualTo(row);
  }

  @Test
  void whatOnlyResemblesJsonIsRefused() {
    for (String text :
        new String[] {
          "{a:1}",
          "{'a':1}",
          "{\"a\":01}",
          "{\"a\":+1}",
          "{\"a\":.5}",
          "{\"a\":1.}",
          "{\"a\":NaN}",
          "{\"a\":1,}",
          "{\"a\":1}//x",
          "{\"a\":\"\u0001\"}",
          "{\"a\":\"\\x\"}",
          "{\"a\":\"\\u12\"}"
        }) {
      assertThatThrownBy(() -> parse(text)).as(text).isInstanceOf(JsonSyntaxException.class);
    }
  }

  @Test
  void theDeepestAllowedRowIsReadAndOneLevelMoreIsNot() throws Exception {
    int arrays = JsonRowParser.MAX_DEPTH - 1;
    String deepest = "{\"a\":" + "[".repeat(arrays) + "]".repeat(arrays) + "}";

    assertThat(parse(deepest).json()).isEqualTo(deepest);
    assertThatThrownBy(
            () -> parse("{\"a\":" + "[".repeat(arrays + 1) + "]".repeat(arrays + 1) + "}"))
        .isInstanceOf(RefusedRowException.class)
        .hasMessage("nested more than 500 levels deep");
  }

  @Test
  void fieldsOfOneMegabyteAreCarried() throws Exception {
    String name = "n".repeat(1 << 20);
    String row = "{\"" + name + "\":\"" + "\u00e9".repeat(1 << 20) + "\",\"p\":\"a\"}";

    assertThat(parse(row).json()).isEqualTo(row);
  }
}
