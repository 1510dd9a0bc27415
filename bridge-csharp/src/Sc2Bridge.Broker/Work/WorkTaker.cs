using System.Collections.Concurrent;
using System.Text;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Broker.Work;

/// <summary>
/// Takes jobs off the queue, so many at once, and answers for each when it is done. A job whose taker dies, or is cut off,
/// the broker hands to another.
/// </summary>
/// <param name="broker">The broker; connected to again where the connection is lost.</param>
/// <param name="worker">Its name.</param>
/// <param name="atOnce">Jobs in hand at most.</param>
/// <param name="work">Does a job, of which the second says how often it has failed; null where its result is whole, else why it failed. A <see cref="ResultStoreException"/> is no failure of the job's.</param>
/// <param name="warn">Gets lines on the broker.</param>
public sealed class WorkTaker(
    BrokerAddress broker, string worker, int atOnce,
    Func<Job, int, CancellationToken, Task<string?>> work, Action<string> warn)
{
    private const int LongestReason = 1000;

    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    /// <summary>How long a job is kept that its result's store did not take, so that it does not go round and round.</summary>
    internal TimeSpan StorePause { get; init; } = TimeSpan.FromSeconds(10);

    // A job that comes again while it is in hand (the connection was lost meanwhile) is not begun twice.
    private readonly ConcurrentDictionary<string, Lazy<Task<string?>>> _inHand = new(StringComparer.Ordinal);

    /// <summary>Works until it is stopped; jobs in hand are stopped too, and go back.</summary>
    /// <exception cref="BrokerException">The broker is not there to begin with, or refuses.</exception>
    public async Task RunAsync(CancellationToken stop)
    {
        var (hasBegun, isTold) = (false, false);
        while (!stop.IsCancellationRequested)
        {
            try
            {
                var why = await broker.WithAsync(
                    worker, connection => TakeAsync(connection, () => (hasBegun, isTold) = (true, false), stop), stop);
                warn($"the broker hands out no more jobs ({why}): asking again");
            }
            catch (OperationCanceledException) when (stop.IsCancellationRequested)
            {
                break;
            }
            catch (BrokerException error) when (hasBegun)
            {
                // Once for as long as it lasts.
                if (!isTold)
                {
                    isTold = true;
                    warn($"{error.Message}: trying again");
                }
            }

            await Task.Delay(Pause, stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        await ((Task)Task.WhenAll(_inHand.Values.Select(job => job.Value))).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    // Why the broker ended it.
    private async Task<string> TakeAsync(IConnection connection, Action begun, CancellationToken stop)
    {
        await using var channel = await WorkQueues.OpenAsync(connection, stop);
        await WorkQueues.DeclareAsync(channel, stop);
        await channel.BasicQosAsync(0, (ushort)atOnce, global: false, stop);
        var ended = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        var answered = new ConcurrentDictionary<ulong, Task>();
        var consumer = new AsyncEventingBasicConsumer(channel);
        consumer.ReceivedAsync += (_, delivery) =>
        {
            // The client's own bytes are its again when this returns.
            var (tag, body, properties) = (delivery.DeliveryTag, delivery.Body.ToArray(), delivery.BasicProperties);
            answered[tag] = Task.Run(
                async () =>
                {
                    await AnswerAsync(channel, tag, body, properties, stop);
                    answered.TryRemove(tag, out Task? _);
                },
                CancellationToken.None);
            return Task.CompletedTask;
        };
        consumer.UnregisteredAsync += (_, _) => Task.FromResult(ended.TrySetResult("the queue was deleted"));
        channel.ChannelShutdownAsync += (_, why) => Task.FromResult(ended.TrySetResult(why.ReplyText));
        await channel.BasicConsumeAsync(WorkQueues.Jobs, autoAck: false, consumer, stop);
        begun();
        try
        {
            return await ended.Task.WaitAsync(stop);
        }
        catch (OperationCanceledException)
        {
            // What was done just now is answered for before the channel goes.
            await Task.WhenAll(answered.Values);
            throw;
        }
    }

    private async Task AnswerAsync(
        IChannel channel, ulong tag, byte[] body, IReadOnlyBasicProperties properties, CancellationToken stop)
    {
        try
        {
            var failures = WorkQueues.Failures(properties);
            string? problem;
            var (isJob, counted) = (false, 0);
            try
            {
                var job = Jobs.Read(body);
                (isJob, counted) = (true, 1);
                var running = _inHand.GetOrAdd(
                    job.Id, _ => new Lazy<Task<string?>>(() => Task.Run(() => work(job, failures, stop), CancellationToken.None)));
                try
                {
                    problem = await running.Value;
                }
                finally
                {
                    _inHand.TryRemove(KeyValuePair.Create(job.Id, running));
                }
            }
            catch (FormatException error) when (!isJob)
            {
                problem = error.Message;
            }
            catch (ResultStoreException error)
            {
                // No failure of the job's. It is handed in anew all the same: the broker counts what it is given back.
                (problem, counted) = (error.Message, 0);
                await Task.Delay(StorePause, stop);
            }
#pragma warning disable CA1031 // Whatever it is: the job failed, and is answered for.
            catch (Exception error) when (!stop.IsCancellationRequested)
#pragma warning restore CA1031
            {
                problem = error.Message;
            }

            if (problem is not null)
            {
                failures += counted;

                // Handed in anew, behind the others, before this one is taken off: where it is cut off between the two
                // there are two of one id, which have one result.
                await WorkQueues.PublishAsync(
                    channel,
                    !isJob || failures >= WorkQueues.MostFailures ? WorkQueues.Dead : WorkQueues.Jobs,
                    properties.MessageId,
                    body,
                    new Dictionary<string, object?>
                    {
                        [WorkQueues.FailuresHeader] = failures,
                        [WorkQueues.ReasonHeader] = Line(problem),
                        [WorkQueues.WorkerHeader] = worker,
                    },
                    CancellationToken.None);
            }

            await channel.BasicAckAsync(tag, multiple: false, CancellationToken.None);
        }
        catch (OperationCanceledException)
        {
            // Stopped: it goes back with the channel.
        }
        catch (Exception error) when (BrokerAddress.IsBrokers(error))
        {
            // The broker hands it out again, and who takes it finds its result; at once where the channel still is.
            try
            {
                await channel.BasicNackAsync(tag, multiple: false, requeue: true, CancellationToken.None);
            }
            catch (Exception gone) when (BrokerAddress.IsBrokers(gone))
            {
            }
        }
    }

    // A reason goes with the message's properties, which have room for a line.
    private static string Line(string text)
    {
        var line = PlainText.Escape(text);
        return line[..Math.Min(line.Length, LongestReason)];
    }
}
