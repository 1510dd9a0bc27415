using System.Net;

namespace Sc2Bridge.Admission.Tests;

public sealed class ConnectionAdmissionTests
{
    private static readonly IPAddress _one = IPAddress.Parse("192.0.2.1");
    private static readonly IPAddress _other = IPAddress.Parse("192.0.2.2");

    [Fact]
    public async Task Of_a_second_s_subscriptions_few_begin_at_once()
    {
        using var admission = new ConnectionAdmission(new AdmissionLimits { SubscriptionsPerSecond = 100 });
        using var gone = new CancellationTokenSource();

        var calls = Enumerable.Range(0, 100).Select(_ => admission.TryEnterSubscriptionAsync(_one, gone.Token).AsTask()).ToList();

        Assert.True(calls[0].IsCompleted);
        Assert.Contains(calls, call => !call.IsCompleted);
        await gone.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Task.WhenAll(calls));
    }

    [Fact]
    public async Task An_address_may_have_half_of_what_there_is_and_all_together_no_more()
    {
        using var admission = new ConnectionAdmission(new AdmissionLimits { Subscriptions = 4 });
        List<string> told = [];
        admission.Noticed += told.Add;
        var (first, _) = await TryEnterSubscriptionAsync(_one);
        Assert.NotNull((await TryEnterSubscriptionAsync(_one)).Place);
        var (none, refusal) = await TryEnterSubscriptionAsync(_one);
        Assert.Null(none);
        Assert.Equal("192.0.2.1 has reached its limit for subscriptions: 2. Close some, or raise max-subscriptions-per-address", refusal!.Message);
        Assert.NotNull((await TryEnterSubscriptionAsync(_other)).Place);
        Assert.NotNull((await TryEnterSubscriptionAsync(null)).Place);
        (none, refusal) = await TryEnterSubscriptionAsync(null);
        Assert.Null(none);
        Assert.Equal("The bridge has reached its limit for subscriptions: 4. Close some, or start it with a higher --max-subscriptions", refusal!.Message);

        first!.Dispose();
        first.Dispose();
        Assert.NotNull((await TryEnterSubscriptionAsync(null)).Place);
        for (var more = 0; more < 100; more++)
        {
            Assert.Null((await TryEnterSubscriptionAsync(null)).Place);
        }

        Assert.Equal(2, told.Count);

        ValueTask<(IDisposable? Place, Refusal? Refusal)> TryEnterSubscriptionAsync(IPAddress? client) =>
            admission.TryEnterSubscriptionAsync(client, Ct);
    }

    [Fact]
    public async Task A_refusal_names_the_limit_that_was_reached_also_if_a_place_becomes_free_at_that_moment()
    {
        using var admission = new ConnectionAdmission(new AdmissionLimits { Connections = 1, ConnectionsPerAddress = 2 });
        var (refusals, wrong) = (0, 0);
        await Task.WhenAll(Task.Run(ConnectOften, Ct), Task.Run(ConnectOften, Ct));
        Assert.Equal(0, wrong);

        void ConnectOften()
        {
            while (Volatile.Read(ref refusals) < 200_000)
            {
                Ct.ThrowIfCancellationRequested();
                using var place = admission.TryEnterConnection(_one, out var refusal);
                if (refusal is not null)
                {
                    Interlocked.Increment(ref refusals);
                    Interlocked.Add(ref wrong, refusal.Reason == "connections" ? 0 : 1);
                }
            }
        }
    }

    [Fact]
    public async Task Subscriptions_over_the_allowance_wait_even_for_a_refusal_and_other_clients_do_not()
    {
        using var admission = new ConnectionAdmission(new AdmissionLimits { Subscriptions = 2, SubscriptionsPerSecond = 1 });
        Assert.True(TryEnterSubscriptionAsync(_one).IsCompletedSuccessfully);

        var waits = TryEnterSubscriptionAsync(_one);
        Assert.False(waits.IsCompleted);
        Assert.True(TryEnterSubscriptionAsync(_other).IsCompletedSuccessfully);
        var (place, refusal) = await waits.WaitAsync(TimeSpan.FromSeconds(30), Ct);
        Assert.Null(place);
        Assert.NotNull(refusal);

        Task<(IDisposable? Place, Refusal? Refusal)> TryEnterSubscriptionAsync(IPAddress client) =>
            admission.TryEnterSubscriptionAsync(client, Ct).AsTask();
    }

    [Theory]
    [InlineData("::ffff:192.0.2.1", "192.0.2.1")]
    [InlineData("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::")]
    [InlineData("fe80::1:2:3:4%3", "fe80::%3")]
    [InlineData("::1", "127.0.0.1")]
    [InlineData("127.0.0.9", "127.0.0.1")]
    public void What_one_host_can_choose_is_one_address(string address, string counted) =>
        Assert.Equal(IPAddress.Parse(counted), ClientAddress.Of(IPAddress.Parse(address)));

    [Fact]
    public async Task Messages_over_the_allowance_wait_and_other_clients_do_not()
    {
        using var admission = new ConnectionAdmission(new AdmissionLimits { MessagesPerSecond = 5 });
        for (var message = 0; message < 5; message++)
        {
            Assert.True(ReadAsync(_one).IsCompletedSuccessfully);
        }

        var waits = ReadAsync(_one);
        Assert.False(waits.IsCompleted);
        Assert.True(ReadAsync(_other).IsCompletedSuccessfully);
        await waits.WaitAsync(TimeSpan.FromSeconds(30), Ct);

        Task ReadAsync(IPAddress sender) => admission.MessageRate.WaitAsync(sender, Ct).AsTask();
    }

    [Theory]
    [InlineData(1u, 0u, 3_000u, true)]
    [InlineData(1u, 0u, 1_000u, false)]
    [InlineData(0u, 1u, 140_000u, false)]
    [InlineData(0u, 1u, 160_000u, true)]
    [InlineData(0u, 0u, 900_000u, false)]
    public void A_machine_without_acknowledgements_is_gone_and_a_client_that_reads_nothing_is_not(
        uint unacknowledged, uint notSent, uint silentMs, bool gone)
    {
        var info = default(TcpInfo) with
        {
            Unacknowledged = unacknowledged,
            NotSent = notSent,
            SinceAcknowledgement = TimeSpan.FromMilliseconds(silentMs),
        };
        Assert.Equal(gone, PeerMachine.IsGone(info, TimeSpan.FromSeconds(2)));
    }
}
