using Microsoft.AspNetCore.Http;

namespace Sc2Bridge.Admission.Tests;

public sealed class AllowedHostsTests
{
    [Theory]
    [InlineData("", null)]
    [InlineData("127.0.0.1:8765", null)]
    [InlineData("127.0.0.1", null)]
    [InlineData("[fe80::1]:8765", null)]
    [InlineData("10.0.0.1:80", null)]
    [InlineData("localhost:1", null)]
    [InlineData("bridge.lan:8765", null)]
    [InlineData("Named.example.org", null)]
    [InlineData("rebound.example.com:8765", "host")]
    [InlineData("127.0.0.1.example.com", "host")]
    public void Only_names_that_are_known_to_be_this_machines_are_served(string host, string? reason) =>
        Assert.Equal(reason, Hosts().Check(new HostString(host), origin: null)?.Reason);

    [Theory]
    [InlineData("http://localhost:3000", "127.0.0.1:8765", true)]
    [InlineData("http://[::1]:3000", "localhost:8765", true)]
    [InlineData("http://bridge.lan:8765", "bridge.lan:8765", true)]
    [InlineData("http://bridge.lan", "bridge.lan", true)]
    [InlineData("https://viewer.example.org", "bridge.lan:8765", true)]
    [InlineData("http://bridge.lan:9999", "bridge.lan:8765", false)]
    [InlineData("http://evil.example.com", "127.0.0.1:8765", false)]
    [InlineData("http://localhost:8765", "bridge.lan:8765", false)]
    [InlineData("null", "127.0.0.1:8765", false)]
    [InlineData("garbage\u0001", "127.0.0.1:8765", false)]
    public void Pages_of_other_hosts_are_refused(string origin, string host, bool passes)
    {
        var refusal = Hosts().Check(new HostString(host), origin);
        Assert.Equal(passes, refusal is null);
        Assert.True(refusal?.Message.Contains("--allow-origin", StringComparison.Ordinal) ?? true);
    }

    [Theory]
    [InlineData("http://127.0.0.1:5000", true)]
    [InlineData("http://127.0.0.1:3000", false)]
    [InlineData("http://localhost:5000", false)]
    public void Where_pages_of_this_machine_may_not_only_its_own_may(string origin, bool passes) => Assert.Equal(
        passes, new AllowedHosts([], [], localPages: false).Check(new HostString("127.0.0.1:5000"), origin) is null);

    private static AllowedHosts Hosts() =>
        new(["bridge.lan", "named.example.org"], ["https://viewer.example.org/"], localPages: true);
}
