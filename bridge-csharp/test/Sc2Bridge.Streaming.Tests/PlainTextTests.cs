using System.Globalization;
using FsCheck;
using FsCheck.Fluent;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>Untrusted text cannot control a terminal or forge a line.</summary>
public sealed class PlainTextTests
{
    [Theory]
    [InlineData("Cinder Fortress LE: 12 \u00e9 \u4e2d \U0001d11e {0} [red]\\n", "Cinder Fortress LE: 12 \u00e9 \u4e2d \U0001d11e {0} [red]\\n")]
    [InlineData("a\tb\r\nc", "a b\\r\\nc")]
    [InlineData("\x1b[2J\x7f\u009b\0", "\\x1b[2J\\x7f\\x9b\\x00")]
    [InlineData("\u2028\u2029\u202a\u202e\u2066\u2069", "\\u2028\\u2029\\u202a\\u202e\\u2066\\u2069")]
    [InlineData("\u2027\u202f\u2065\u206a", "\u2027\u202f\u2065\u206a")]
    public void Control_characters_become_escapes_and_the_rest_stays(string text, string escaped)
    {
        Assert.Equal(escaped, PlainText.Escape(text));
        Assert.Equal(text == escaped, PlainText.IsPlain(text));
    }

    [Fact]
    public void Any_text_is_escaped_to_one_line_without_control_characters_and_only_once()
    {
        // Any character, and often a character near a limit.
        var character = Gen.OneOf(Gen.Choose(0, 0xa0), Gen.Choose(0x2020, 0x2070), Gen.Choose(0, 0xffff)).Select(code => (char)code);
        var texts = character.ArrayOf().Select(characters => new string(characters)).ToArbitrary();
        Check.One(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(2000)), Prop.ForAll(texts, text =>
        {
            var escaped = PlainText.Escape(text);
            Assert.DoesNotContain(escaped, one => char.IsControl(one)
                || char.GetUnicodeCategory(one) is UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator
                || one is (>= '\u202a' and <= '\u202e') or (>= '\u2066' and <= '\u2069'));
            Assert.True(PlainText.IsPlain(escaped));
            Assert.Equal(escaped, PlainText.Escape(escaped));
        }));
    }
}
