using System.IO.MemoryMappedFiles;
using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Encodings.SharedMemory;
using Policy = Sc2Bridge.V1.Policy;
using SharedBlock = Sc2Bridge.Encodings.SharedMemory.SharedBlock;

namespace Sc2Bridge.Encodings.Tests.SharedMemory;

public sealed class SharedSegmentTests
{
    private const int Capacity = 1 << 20;

    [Fact]
    public void Written_tables_are_read_by_their_place() => Prop.ForAll<int>(seed =>
    {
        using var segment = SharedSegment.Create(Capacity);
        using var read = Mapped(segment);
        var random = new Random(seed);
        var held = new List<(SharedBlock Block, byte[] Content)>();
        for (var turn = 0; turn < 100; turn++)
        {
            if (random.Next(2) == 0)
            {
                var content = new byte[random.Next(1, 100_000)];
                random.NextBytes(content);
                var block = segment.Write(content);
                if (block.Length > 0)
                {
                    held.Add((block, content));
                }
                else
                {
                    Assert.NotEmpty(held);
                }
            }
            else if (held.Count > 0)
            {
                var at = random.Next(held.Count);
                held[at].Block.Release();
                held.RemoveAt(at);
            }

            Assert.Equal(held.Count, segment.BlocksInUse);
            foreach (var (block, content) in held)
            {
                var found = new byte[block.Length];
                read.ReadArray(block.Offset, found, 0, found.Length);
                Assert.Equal(content, found);
            }
        }
    }).Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(20)));

    [Fact]
    public void Without_room_a_block_is_empty_and_one_that_is_free_again_is_taken()
    {
        using var segment = SharedSegment.Create(Capacity);
        var blocks = Enumerable.Range(0, 8).Select(_ => segment.Write(new byte[100_000])).ToList();
        Assert.All(blocks, block => Assert.Equal(100_000, block.Length));
        var none = segment.Write(new byte[100_000]);
        Assert.Equal(0, none.Length);
        none.Release();
        blocks[5].Release();
        Assert.Equal(blocks[5].Offset, segment.Write(new byte[70_000]).Offset);
        Assert.Equal(0, segment.Write(new byte[(16 << 20) + 1]).Length);
    }

    [Fact]
    public void Nobody_else_can_write()
    {
        using var segment = SharedSegment.Create(Capacity);
        using var file = new FileStream(Path(segment), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, 0);
        Assert.ThrowsAny<Exception>(() => file.Write([1]));
        Assert.ThrowsAny<Exception>(() => file.SetLength(0));
        Assert.ThrowsAny<Exception>(() => MemoryMappedFile
            .CreateFromFile(file, null, 0, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, true)
            .CreateViewAccessor());
    }

    [Fact]
    public void A_window_that_is_over_holds_nothing_and_lets_nobody_wait()
    {
        using var segment = SharedSegment.Create(Capacity);
        var window = new SharedWindow(segment);
        window.SetPolicy(Policy.Latest);
        Assert.True(window.TryGive(segment.Write([1])));
        window.CountSent();
        var room = window.WaitForRoomAsync(Ct);
        Assert.False(room.IsCompleted);
        window.Dispose();
        Assert.Equal(0, segment.BlocksInUse);
        Assert.False(window.TryGive(segment.Write([1])));
        Assert.Equal(0, segment.BlocksInUse);
        Assert.True(window.WaitForRoomAsync(Ct).IsCompleted);
    }

    private static string Path(SharedSegment segment) => $"/proc/self/fd/{segment.Handle.DangerousGetHandle()}";

    private static MemoryMappedViewAccessor Mapped(SharedSegment segment) => MemoryMappedFile
        .CreateFromFile(new FileStream(Path(segment), FileMode.Open, FileAccess.Read, FileShare.ReadWrite, 0), null, 0,
            MemoryMappedFileAccess.Read, HandleInheritability.None, leaveOpen: false)
        .CreateViewAccessor(0, 0, MemoryMappedFileAccess.Read);
}
