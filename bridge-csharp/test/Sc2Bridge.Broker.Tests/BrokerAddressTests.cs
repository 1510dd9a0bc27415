using RabbitMQ.Client;

namespace Sc2Bridge.Broker.Tests;

public sealed class BrokerAddressTests
{
    [Theory]
    [InlineData("amqp://host", "amqp://host:5672")]
    [InlineData("amqps://host", "amqps://host:5671")]
    [InlineData("AMQP://user:s%3Acret@one:1,two,[::1]:3/games%2Fall", "amqp://one:1,two:5672,::1:3/games%2Fall")]
    [InlineData("amqps://u:secret@host/?cacertfile=%2Fca.pem&server_name_indication=broker", "amqps://host:5671")]
    public void An_address_shows_all_but_who_connects(string text, string shown) =>
        Assert.Equal(shown, BrokerAddress.Parse(text).ToString());

    [Theory]
    [InlineData("http://secret@host")]
    [InlineData("amqp://")]
    [InlineData("amqp://u:secret@")]
    [InlineData("amqp://u:secret@host:0")]
    [InlineData("amqp://u:secret@host:99999")]
    [InlineData("amqp://u:secret@ho st")]
    [InlineData("amqp://u:12/secret@host")]
    [InlineData("amqp://u:secret?@host")]
    [InlineData("amqp://u:secret@host,,other")]
    [InlineData("amqp://u:secret@host?verify=verify_none")]
    public void An_invalid_address_is_refused_without_its_password(string text) =>
        Assert.DoesNotContain("secret", Assert.Throws<BrokerException>(() => BrokerAddress.Parse(text)).Message);

    [Fact]
    public void Any_text_is_an_address_or_refused() =>
        FsCheck.Check.One(FsCheck.Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(1000)), FsCheck.Fluent.Prop.ForAll<string>(text =>
        {
            try
            {
                BrokerAddress.Parse("amqp://" + text);
            }
            catch (BrokerException)
            {
            }
        }));

    [Fact]
    public async Task A_connection_that_opens_too_late_is_closed()
    {
        var opening = new TaskCompletionSource<IConnection>();
        await Assert.ThrowsAsync<TimeoutException>(() => BrokerAddress.WaitOrCloseAsync(opening.Task, TimeSpan.Zero, Ct));
        var (connection, isDisposed) = LateConnection.Make();
        opening.SetResult(connection);
        await HoldsAsync(isDisposed);
    }

    [Fact]
    public async Task A_broker_that_does_not_answer_is_named_without_its_password()
    {
        var refused = await Assert.ThrowsAsync<BrokerException>(() => BrokerAddress.Parse("amqp://u:secret@127.0.0.1:1")
            .ConnectAsync("test", Ct));
        Assert.StartsWith("amqp://127.0.0.1:1 does not answer: ", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", refused.ToString());
    }
}
