using System.Buffers;
using System.Reflection;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.GameApi.Tests.Client;

/// <summary>Every buffer of a game's answer goes back to the pool. All buffers of the process are counted, so no other test runs at the same time.</summary>
[CollectionDefinition(nameof(LentBuffersTests), DisableParallelization = true)]
[Collection(nameof(LentBuffersTests))]
public sealed class LentBuffersTests : IDisposable
{
    private static readonly FieldInfo _pool =
        typeof(MessageBuffer).GetField("_pool", BindingFlags.Static | BindingFlags.NonPublic)!;

    private readonly CountingPool _lent = new();

    public LentBuffersTests() => _pool.SetValue(null, _lent);

    public void Dispose() => MessageBuffer.Trim();

    [Fact]
    public async Task That_of_a_refused_step_does_whatever_its_errors_are()
    {
        // Field 98 with one Latin-1 character, which is not UTF-8.
        byte[] refusal = [0x92, 0x06, 0x04, 0x6e, 0x6f, 0xe9, 0x21];
        await AnswerWithAsync(refusal, async client =>
        {
            for (var step = 0; step < 10; step++)
            {
                var (errors, observation) = await client.StepAndObserveAsync(1, disableFog: false, Ct);
                Assert.Single(errors);
                observation.Buffer.Release();
            }
        });
    }

    [Fact]
    public async Task That_of_an_answer_that_cannot_be_parsed_does()
    {
        // An error, then a ping whose first string announces 127 bytes and has none.
        byte[] malformed = [0x92, 0x06, 0x03, .. "odd"u8, 0x9a, 0x01, 0x02, 0x0a, 0x7f];
        await AnswerWithAsync(malformed, client => Assert.ThrowsAsync<GameException>(
            () => client.SendAsync(new Request { Ping = new RequestPing() }, Ct)));
    }

    private async Task AnswerWithAsync(byte[] answer, Func<GameClient, Task> ask)
    {
        await using (var game = ScriptedGame.Start(async connection =>
        {
            while (await connection.ReadAsync() is not null)
            {
                await connection.SendAsync(answer);
            }
        }))
        {
            await using var client = new GameClient(
                await GameConnector.OpenAsync(game.Address, TimeSpan.FromSeconds(30), null, Ct), new GameClientOptions());
            await ask(client);
        }

        Assert.Equal((true, 0), (_lent.Total > 0, _lent.Out));
    }

    private sealed class CountingPool : ArrayPool<byte>
    {
        private readonly HashSet<byte[]> _out = [];

        public int Total { get; private set; }

        public int Out
        {
            get
            {
                lock (_out)
                {
                    return _out.Count;
                }
            }
        }

        public override byte[] Rent(int minimumLength)
        {
            var array = new byte[minimumLength];
            lock (_out)
            {
                Total++;
                _out.Add(array);
            }

            return array;
        }

        // Arrays from before the test are not counted.
        public override void Return(byte[] array, bool clearArray = false)
        {
            lock (_out)
            {
                _out.Remove(array);
            }
        }
    }
}
