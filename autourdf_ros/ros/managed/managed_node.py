"""A node with the lifecycle of ROS 2's managed nodes; by default it becomes active by itself."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNodeMixin, LifecycleState, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.task import Future

from autourdf_ros.errors import InputError
from autourdf_ros.ros.common.namesakes import report_namesakes
from autourdf_ros.ros.common.parameters import Parameters
from autourdf_ros.ros.managed.configuration import Configuration

SUCCESS, FAILURE = TransitionCallbackReturn.SUCCESS, TransitionCallbackReturn.FAILURE
ERROR = TransitionCallbackReturn.ERROR

LONGEST = 30.0
"""Seconds that a transition waits for what runs to end: a robot stops, its frames are written."""
_POLL = 0.02
_ANSWER = 0.5
"""Seconds after the end of the lifecycle in which its answer is sent."""
_CONFIGURED = ("inactive", "activating", "active", "deactivating")


class ManagedNode(LifecycleNodeMixin, Node):
    """A node that is armed only while it is active.

    Without a manager (parameter `use_lifecycle_manager`) it configures and activates itself when it
    is created. Subclasses define `configure`, and of `arm`, `halt`, `may_leave`, `disarm` and
    `adjust` what they need. What `configure`, or a callback after it, creates on the node ends with
    `cleanup`.
    """

    def __init__(self, name: str, **options: Any) -> None:
        """Create the node.

        Args:
            name: of the node.
            options: as `rclpy.node.Node` takes them.

        Raises:
            InputError: it configures itself, and something cannot be used.
        """
        Node.__init__(self, name, **options)
        # A transition out of active waits while the executor does other things.
        self._waiting_group = ReentrantCallbackGroup()
        LifecycleNodeMixin.__init__(self, callback_group=self._waiting_group)
        self._answer_change = self._service_change_state.callback
        self._service_change_state.callback = self._on_change_state
        self._leaving = ""  # why nothing may begin any more, while the node is active
        self._failure: Exception | None = None
        self._changing = False  # whether a transition is under way
        self._ending = False  # whether the process ends
        self._finalized = 0.0  # s, when the lifecycle ended; 0: it has not
        self._resources = ExitStack()
        report_namesakes(self)
        managed = Parameters(self).flag(
            "use_lifecycle_manager",
            False,
            "whether the node waits for a manager to configure and activate it; false: at once",
        )
        self._quiet = not managed  # who creates it hears of a failure by an exception
        self._configuration = Configuration(self)
        self.add_on_set_parameters_callback(self._on_set_parameters)
        if not managed:
            self._start_by_itself()

    def configure(self) -> None:
        """Check everything and get ready; nothing moves or is broadcast. May raise InputError."""
        raise NotImplementedError

    def arm(self) -> None:
        """Begin what an active node does by itself. May raise InputError."""

    def halt(self, reason: str) -> bool:
        """Begin to end what runs, and a motion safely; return whether nothing runs any more."""
        return True

    def may_leave(self) -> bool:
        """Return whether the process may end although something runs."""
        return False

    def disarm(self) -> None:
        """End what `arm` began, once `halt` has returned True."""

    def adjust(self, parameters: Sequence[Parameter[Any]]) -> SetParametersResult:
        """Take changes of parameters while configured, or refuse them."""
        return SetParametersResult(successful=True)

    @property
    def state(self) -> str:
        """Name of the state of the lifecycle, such as `inactive` or `activating`."""
        return str(self._state_machine.current_state[1])

    @property
    def refusal(self) -> str:
        """Why nothing may begin, in a sentence; empty while the node is active."""
        if self.state == "active":
            return self._leaving
        command = f"ros2 lifecycle set {self.get_fully_qualified_name()} activate"
        return f"{self.state}: transition activate is missing ({command})"

    @property
    def finalized(self) -> bool:
        """Whether a manager has shut the node down, and received the answer."""
        return bool(self._finalized) and time.monotonic() > self._finalized + _ANSWER

    def at_cleanup(self, end: Callable[[], object]) -> None:
        """Have something ended at cleanup, at the end, and where `configure` fails later on."""
        self._resources.callback(end)

    def armed(self, callback: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """Return the callback of a service with `success` and `message`, refused unless active."""

        async def gated(request: Any, response: Any) -> Any:
            if self.refusal:
                response.success, response.message = False, self.refusal
                return response
            answer = callback(request, response)
            return await answer if inspect.isawaitable(answer) else answer

        return gated

    def end(self) -> bool:
        """End what runs; call it until it returns True. The node has to spin meanwhile."""
        self._ending = True
        reason = f"the {self.get_name()} node is shutting down"
        stands = self.state not in _CONFIGURED or self.halt(reason) or self.may_leave()
        # A transition that waits would never end without a spinning executor, nor would that.
        return stands and not self._changing

    def close(self) -> None:
        """Release everything, even where `end` was not called."""
        self.end()
        self._resources.close()

    def destroy_node(self) -> None:
        """Destroy the node now; rclpy leaves its state machine, and the node, to the collector."""
        super().destroy_node()
        vars(self).pop("_state_machine", None)  # as rclpy's, it may be called again

    def on_configure(self, _: LifecycleState) -> TransitionCallbackReturn:
        """Configure; a failure leaves nothing behind."""
        self._configuration.begin()
        done = self._attempt("configure", self.configure)
        if done != SUCCESS:
            self._release()
        return done

    def on_activate(self, _: LifecycleState) -> TransitionCallbackReturn:
        """Arm."""
        self._leaving = ""
        done = self._attempt("activate", self.arm)
        if done != SUCCESS:
            self.disarm()
        return done

    def on_deactivate(self, _: LifecycleState) -> TransitionCallbackReturn:
        """Disarm; what ran has ended before."""
        done = self._attempt("deactivate", self.disarm)
        return SUCCESS if done == SUCCESS else ERROR

    def on_cleanup(self, _: LifecycleState) -> TransitionCallbackReturn:
        """Release everything."""
        done = self._attempt("clean up", self._release)
        return SUCCESS if done == SUCCESS else ERROR

    def on_shutdown(self, before: LifecycleState) -> TransitionCallbackReturn:
        """Release everything; the process ends then."""
        self._finalized = time.monotonic()
        if before.label == "active":
            self._attempt("deactivate", self.disarm)
        self._attempt("clean up", self._release)
        return SUCCESS

    def on_error(self, _: LifecycleState) -> TransitionCallbackReturn:
        """Release everything after an unexpected error of a transition."""
        self.get_logger().fatal("a transition failed unexpectedly; the node is cleaned up")
        self._release()
        return SUCCESS

    def _start_by_itself(self) -> None:
        for trigger in (self.trigger_configure, self.trigger_activate):
            if trigger() != SUCCESS:
                self._release()
                failure, self._failure = self._failure, None
                raise failure or RuntimeError(f"{self.get_name()}: a transition failed")
        self._quiet = False

    def _attempt(self, transition: str, work: Callable[[], None]) -> TransitionCallbackReturn:
        try:
            work()
        except Exception as error:  # rclpy would swallow it
            self._failure = error
            if not self._quiet:
                self._failure = None
                kind = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
                self.get_logger().error(
                    f"cannot {transition}: {kind}{' '.join(str(error).split())}"
                )
            return FAILURE
        return SUCCESS

    def _release(self) -> None:
        self._resources.close()
        self._configuration.end()

    def _on_set_parameters(self, parameters: list[Parameter[Any]]) -> SetParametersResult:
        if self.state == "unconfigured":
            return self._configuration.accept(parameters)
        if self.state == "configuring":  # they are declared, and checked by who declares them
            return SetParametersResult(successful=True)
        return self.adjust(parameters)

    async def _on_change_state(self, request: Any, response: Any) -> Any:
        """Do a transition, out of active once what runs has ended: those of rclpy cannot wait."""
        if self._changing:
            self.get_logger().warning("a transition is refused: another one is under way")
            response.success = False
            return response
        self._changing = True
        try:
            if self.state == "active" and self._is_possible(request.transition):
                response.success = await self._left()
                if not response.success:
                    return response
            return self._answer_change(request, response)
        finally:
            self._changing = False

    def _is_possible(self, asked: Any) -> bool:
        return any(
            asked.label == label if asked.label else asked.id == number
            for number, label, *_ in self._state_machine.available_transitions
        )

    async def _left(self) -> bool:
        """Halt, and wait until nothing runs; return whether that was so in time."""
        self._leaving = f"the {self.get_name()} node is deactivated"
        began = time.monotonic()
        while not self.halt(self._leaving):
            if self._ending or time.monotonic() > began + LONGEST:
                waited = time.monotonic() - began
                self.get_logger().error(
                    f"remains active: what runs has not ended within {waited:.0f} s"
                )
                self._leaving = ""
                return False
            await self._moment()
        return True

    async def _moment(self) -> None:
        """Let the executor do other things, also where a simulated clock stands still."""
        passed: Future[None] = Future()
        timer = self.create_timer(
            _POLL,
            lambda: passed.set_result(None),
            callback_group=self._waiting_group,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )
        try:
            await passed
        finally:
            self.destroy_timer(timer)
