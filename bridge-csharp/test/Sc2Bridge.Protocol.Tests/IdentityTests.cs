namespace Sc2Bridge.Protocol.Tests;

public sealed class IdentityTests
{
    [Fact]
    public void Who_needs_no_token_may_do_everything() => Assert.Equal(Roles.All, Identity.Anonymous.Roles);
}
