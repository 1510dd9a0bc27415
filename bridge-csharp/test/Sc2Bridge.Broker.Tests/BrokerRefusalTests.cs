using RabbitMQ.Client;
using Sc2Bridge.Broker.Reading;
using Sc2Bridge.Broker.Work;

namespace Sc2Bridge.Broker.Tests;

/// <summary>What a real broker refuses, and TLS. Each error is one line that says what to do, without the password.</summary>
[Trait("Suite", "Slow")]
public sealed class BrokerRefusalTests(TestBroker broker) : IClassFixture<TestBroker>
{
    [Theory]
    [InlineData("guest:s3cret@", "", " does not let that user in: write amqp://USER:PASSWORD@HOST, or set ")]
    [InlineData("guest:guest@", "/s3cret", "/s3cret refuses: NOT_ALLOWED - vhost s3cret not found; name another virtual host ")]
    [InlineData("reader:s3cret@", "/closed", "/closed refuses: NOT_ALLOWED - access to vhost 'closed' refused for user 'reader'; ")]
    [InlineData("reader:s3cret@", "", " refuses: ACCESS_REFUSED - access to queue 'sc2bridge.work.dead' in vhost '/' refused for user 'reader'; ")]
    public async Task A_brokers_refusal_is_one_line(string user, string virtualHost, string line)
    {
        broker.Require();
        var address = TestBroker.At($"amqp://{user}127.0.0.1:{broker.Port}{virtualHost}");
        await RefusedAsync(address, $"amqp://127.0.0.1:{broker.Port}{line}");
    }

    [Fact]
    public async Task A_queue_that_is_declared_otherwise_is_one_line()
    {
        broker.Require();
        await using var connection = await broker.Address.ConnectAsync("test", Ct);
        await using var channel = await connection.CreateChannelAsync(cancellationToken: Ct);
        await channel.QueueDeleteAsync(WorkQueues.JobQueue, cancellationToken: Ct);
        await channel.QueueDeclareAsync(WorkQueues.JobQueue, durable: true, exclusive: false, autoDelete: false, cancellationToken: Ct);
        await RefusedAsync(broker.Address, $"{broker.Address} refuses: PRECONDITION_FAILED - inequivalent arg ");
        await channel.QueueDeleteAsync(WorkQueues.JobQueue, cancellationToken: Ct);
    }

    [Theory]
    [InlineData("localhost", "cacertfile=CA", null)]
    [InlineData("127.0.0.1", "cacertfile=CA&server_name_indication=localhost", null)]
    [InlineData("localhost", "cacertfile=CA&certfile=client.pem&keyfile=client.key", null)]
    [InlineData("localhost", "cacertfile=CA&certfile=other-client.pem&keyfile=other-client.key", " does not answer: ")]
    [InlineData("localhost", "", ": its certificate is not signed by an authority that this system trusts: name the authority with ?cacertfile=FILE")]
    [InlineData("localhost", "cacertfile=other-ca.pem", ": its certificate is not signed by an authority in FOLDER/other-ca.pem: add the authority to that file")]
    [InlineData("127.0.0.1", "cacertfile=CA", ": its certificate is not for 127.0.0.1: name the host as the certificate does")]
    [InlineData("localhost", "cacertfile=none.pem", ": a certificate cannot be read (")]
    public async Task TLS_connects_only_to_trusted_brokers(string host, string query, string? line)
    {
        broker.Require();
        foreach (var file in new[] { "other-ca.pem", "none.pem", "other-client.pem", "other-client.key", "client.pem", "client.key" })
        {
            query = query.Replace($"={file}", $"={Uri.EscapeDataString(broker.Own(file))}", StringComparison.Ordinal);
        }

        query = query.Replace("=CA", $"={Uri.EscapeDataString(broker.Own("ca.pem"))}", StringComparison.Ordinal);
        var address = TestBroker.At($"amqps://reader:s3cret@{host}:{broker.TlsPort}?{query}");
        if (line is null)
        {
            await using var connection = await address.ConnectAsync("test", Ct);
            Assert.True(connection.IsOpen);
            return;
        }

        var refused = await Assert.ThrowsAsync<BrokerException>(() => address.ConnectAsync("test", Ct));
        line = line.Replace("FOLDER/", broker.Own("x")[..^1], StringComparison.Ordinal);
        Assert.StartsWith($"amqps://{host}:{broker.TlsPort}{line}", refused.Message, StringComparison.Ordinal);
        AssertOneLine(refused);
    }

    private static async Task RefusedAsync(BrokerAddress address, string line)
    {
        foreach (var work in new Func<Task>[]
        {
            () => WorkSubmitter.SubmitAsync(address, [new Job { Id = "a" }], Ct),
            () => WorkStatus.QueryAsync(address, Ct),
            () => new WorkTaker(address, "w", 1, (_, _, _) => throw new NotSupportedException(), _ => { }).RunAsync(Ct),
        })
        {
            var refused = await Assert.ThrowsAsync<BrokerException>(work);
            Assert.StartsWith(line, refused.Message, StringComparison.Ordinal);
            AssertOneLine(refused);
        }
    }

    private static void AssertOneLine(BrokerException refused)
    {
        Assert.DoesNotContain('\n', refused.Message);
        Assert.DoesNotContain(":s3cret", refused.ToString(), StringComparison.Ordinal);
    }
}
