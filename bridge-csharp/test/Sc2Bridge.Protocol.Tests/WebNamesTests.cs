namespace Sc2Bridge.Protocol.Tests;

public sealed class WebNamesTests
{
    [Theory]
    [InlineData("bridge.lan", true)]
    [InlineData("my_bridge-1", true)]
    [InlineData("192.0.2.1", true)]
    [InlineData("[fe80::1]", true)]
    [InlineData("*", true)]
    [InlineData("a b", false)]
    [InlineData("bridge.lan:8765", false)]
    [InlineData("http://bridge.lan", false)]
    [InlineData("", false)]
    public void A_host_is_a_name_without_a_port(string text, bool valid) => Assert.Equal(valid, WebNames.IsHost(text));

    [Theory]
    [InlineData("https://viewer.example.org", true)]
    [InlineData("HTTP://Localhost:3000/", true)]
    [InlineData("chrome-extension://abcdefgh", true)]
    [InlineData("null", true)]
    [InlineData("*", true)]
    [InlineData("garbage", false)]
    [InlineData("viewer.example.org", false)]
    [InlineData("https://viewer.example.org/page", false)]
    [InlineData("https://viewer.example.org:443", false)]
    [InlineData("https://me@viewer.example.org", false)]
    [InlineData("file:///page.html", false)]
    public void An_origin_is_what_a_browser_sends(string text, bool valid) =>
        Assert.Equal(valid, WebNames.IsOrigin(text));
}
