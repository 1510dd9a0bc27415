using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Broker.Publishing;

namespace Sc2Bridge.Broker.Tests.Publishing;

public sealed class SpoolTests
{
    private const int Most = 1000;

    [Fact]
    public void Messages_come_out_in_order_within_the_limit_and_the_file_is_deleted() =>
        Check.One(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(60)), Prop.ForAll((int seed) =>
        {
            var random = new Random(seed);
            var path = Path.Combine(Path.GetTempPath(), $"sc2bridge-spool-{Guid.NewGuid():N}");
            var model = new Queue<byte[]>();
            using (var spool = new Spool(path, Most))
            {
                for (var turn = 0; turn < 300; turn++)
                {
                    if (random.Next(5) < 3)
                    {
                        var record = new byte[random.Next(200)];
                        random.NextBytes(record);
                        var fits = spool.Bytes + 4 + record.Length <= Most;
                        Assert.Equal(fits, spool.TryAdd(record));
                        if (fits)
                        {
                            model.Enqueue(record);
                        }
                    }
                    else
                    {
                        Assert.Equal(model.TryDequeue(out var expected) ? expected : null, spool.Dequeue());
                    }

                    Assert.Equal(model.Count, spool.Count);
                    Assert.True(!File.Exists(path) || new FileInfo(path).Length <= Most);
                }
            }

            Assert.False(File.Exists(path));
        }));
}
