using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Server;

namespace Sc2Bridge.Server.Tests;

public sealed class GrpcStatusTextTests
{
    [Theory]
    [InlineData("", "")]
    [InlineData("plain text, 3 words.", "plain text, 3 words.")]
    [InlineData("100% ✓\n", "100%25 %E2%9C%93%0A")]
    [InlineData("\u007f", "%7F")]
    public void Writes_what_the_spec_says(string text, string encoded)
    {
        Assert.Equal(encoded, GrpcStatusText.Encode(text));
        Assert.Equal(text, GrpcStatusText.Decode(encoded));
    }

    [Theory]
    [InlineData("%", "%")]
    [InlineData("50% of", "50% of")]
    [InlineData("%4", "%4")]
    [InlineData("%zz%41", "%zzA")]
    public void Leaves_what_is_no_escape(string encoded, string text) => Assert.Equal(text, GrpcStatusText.Decode(encoded));

    [Fact]
    public void Cuts_long_texts_between_characters()
    {
        var decoded = GrpcStatusText.Decode(GrpcStatusText.Encode(new string('€', 5000)));
        Assert.Equal(new string('€', GrpcStatusText.LongestBytes / 3), decoded);
    }

    [Fact]
    public void Every_text_comes_back_and_travels_as_printable_ascii() =>
        Prop.ForAll<string?>(drawn =>
        {
            // A lone surrogate is no character: UTF-8 cannot carry it.
            var text = string.Concat((drawn ?? "").EnumerateRunes());
            var encoded = GrpcStatusText.Encode(text);
            return encoded.All(c => c is >= ' ' and <= '~') && GrpcStatusText.Decode(encoded) == text;
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Decoding_never_fails() =>
        Prop.ForAll<string?>(text => GrpcStatusText.Decode(text ?? "") is not null).QuickCheckThrowOnFailure();
}
